//! The role of this machine at Amazon, Google or Azure.

use std::path::Path;
use std::time::Duration;

use reqwest::{Client, Response, redirect};

use super::settings::SettingSources;

/// The address of the metadata service.
pub(super) const SERVICE: &str = "http://169.254.169.254";

/// The time limit for all queries. Other machines have no metadata service, and queries get no answer.
const MOST: Duration = Duration::from_secs(1);

/// The maximum length of a token in bytes.
const LONGEST: u64 = 4096;

/// Files that identify the vendor of the machine, and their first characters at Google and Azure.
const GOOGLE: (&str, &str) = ("/sys/class/dmi/id/product_name", "Google");
const AZURE: (&str, &str) = (
    "/sys/class/dmi/id/chassis_asset_tag",
    "7783-7084-3265-9085-8269-3286-77",
);

/// The metadata service for the role of this machine, at Google or if the environment names a service.
pub(super) fn google_service(said: &SettingSources) -> Option<String> {
    if let Some((_, host)) = said.first(&["GCE_METADATA_HOST", "GCE_METADATA_ROOT"]) {
        return Some(format!("http://{host}"));
    }
    is_of(GOOGLE).then(|| SERVICE.to_owned())
}

/// The metadata service for the identity of this machine, at Azure.
pub(super) fn azure_service() -> Option<&'static str> {
    is_of(AZURE).then_some(SERVICE)
}

fn is_of((file, begin): (impl AsRef<Path>, &str)) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(begin))
}

/// Checks whether Amazon's metadata service has a role for this machine. Takes at most one second.
pub(super) async fn amazon(service: &str) -> bool {
    in_time(amazon_role(service)).await
}

/// The same for Google.
pub(super) async fn google(service: &str) -> bool {
    let path = "/computeMetadata/v1/instance/service-accounts/default/email";
    let url = format!("{service}{path}");
    in_time(ask(&url, ("Metadata-Flavor", "Google"))).await
}

/// The same for Azure.
pub(super) async fn azure(service: &str) -> bool {
    let path = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F";
    let url = format!("{service}{path}");
    in_time(ask(&url, ("Metadata", "true"))).await
}

async fn in_time(answer: impl Future<Output = Option<Response>>) -> bool {
    let asked = tokio::time::timeout(MOST, answer).await;
    asked.ok().flatten().is_some()
}

fn client() -> Option<Client> {
    let client = Client::builder().no_proxy();
    client.redirect(redirect::Policy::none()).build().ok()
}

async fn ask(url: &str, (name, value): (&'static str, &str)) -> Option<Response> {
    let request = client()?.get(url).header(name, value);
    success(request.send().await.ok()?)
}

/// Queries Amazon's metadata service for the role.
async fn amazon_role(service: &str) -> Option<Response> {
    let token = client()?
        .put(format!("{service}/latest/api/token"))
        .header("X-aws-ec2-metadata-token-ttl-seconds", "60");
    let token = success(token.send().await.ok()?)?;
    let short = token.content_length().is_some_and(|n| n <= LONGEST);
    let token = short.then_some(token)?.text().await.ok()?;
    let role = format!("{service}/latest/meta-data/iam/security-credentials/");
    ask(&role, ("X-aws-ec2-metadata-token", &token)).await
}

fn success(answer: Response) -> Option<Response> {
    answer.status().is_success().then_some(answer)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::io::remote::connect::use_ring;
    use crate::io::remote::wait::wait;
    use crate::io::remote::web::tests::server::{Reply, Request, Server};

    fn known(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> bool {
        use_ring();
        let server = Server::start(script);
        let url = server.url("");
        wait(async { Ok(amazon(url.trim_end_matches('/')).await) }).unwrap()
    }

    #[test]
    fn a_role_is_found() {
        let role = |request: &Request| match request.target.as_str() {
            "/latest/api/token" => Reply::new("200 OK").body(b"token"),
            "/latest/meta-data/iam/security-credentials/"
                if request.header("x-aws-ec2-metadata-token") == Some("token") =>
            {
                Reply::new("200 OK").body(b"reader")
            }
            _ => Reply::new("404 Not Found").body(b""),
        };
        assert!(known(role));
        assert!(!known(|_| Reply::new("404 Not Found").body(b"")));
        assert!(!known(move |request| match request.target.as_str() {
            "/latest/api/token" => role(request),
            _ => Reply::new("404 Not Found").body(b""),
        }));
    }

    #[test]
    fn nobody_waits_for_a_service_that_is_silent() {
        let begun = Instant::now();
        assert!(!known(|_| Reply::new("200 OK").body(b"token").stalled(0)));
        assert!(begun.elapsed() < Duration::from_secs(30), "it ended");
        use_ring();
        assert!(!wait(async { Ok(amazon("http://127.0.0.1:1").await) }).unwrap());
    }

    #[test]
    fn google_and_azure_are_asked_in_their_own_ways() {
        use_ring();
        let server = Server::start(|request| {
            let header = |name| request.header(name);
            let known = match request.target.split('?').next() {
                Some("/computeMetadata/v1/instance/service-accounts/default/email") => {
                    header("metadata-flavor") == Some("Google")
                }
                Some("/metadata/identity/oauth2/token") => header("metadata") == Some("true"),
                _ => false,
            };
            Reply::new(if known { "200 OK" } else { "404 Not Found" }).body(b"")
        });
        let url = server.url("");
        let url = url.trim_end_matches('/');
        assert!(wait(async { Ok(google(url).await) }).unwrap());
        assert!(wait(async { Ok(azure(url).await) }).unwrap());
        assert!(!wait(async { Ok(amazon(url).await) }).unwrap());
    }
}

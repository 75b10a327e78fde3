//! The role that Amazon gives to the machine that we run on.

use std::time::Duration;

use reqwest::{Client, Response, redirect};

/// Where machines of Amazon are told about themselves.
pub(super) const SERVICE: &str = "http://169.254.169.254";

/// The time for all questions: on other machines nobody answers.
const MOST: Duration = Duration::from_secs(1);

/// Most bytes of a token.
const LONGEST: u64 = 4096;

/// Whether the service says that this machine has a role. That takes a second at most.
pub(super) async fn has_role(service: &str) -> bool {
    let asked = tokio::time::timeout(MOST, role(service)).await;
    asked.ok().flatten().is_some()
}

/// The answer of a service that knows a role.
async fn role(service: &str) -> Option<Response> {
    let client = Client::builder().no_proxy();
    let client = client.redirect(redirect::Policy::none()).build().ok()?;
    let token = client
        .put(format!("{service}/latest/api/token"))
        .header("X-aws-ec2-metadata-token-ttl-seconds", "60");
    let token = success(token.send().await.ok()?)?;
    let short = token.content_length().is_some_and(|n| n <= LONGEST);
    let token = short.then_some(token)?.text().await.ok()?;
    let role = client
        .get(format!(
            "{service}/latest/meta-data/iam/security-credentials/"
        ))
        .header("X-aws-ec2-metadata-token", token);
    success(role.send().await.ok()?)
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
        wait(async { Ok(has_role(url.trim_end_matches('/')).await) }).unwrap()
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
        assert!(!wait(async { Ok(has_role("http://127.0.0.1:1").await) }).unwrap());
    }
}

//! Proxies from environment variables and rc files.

use std::time::Instant;

use super::*;

const KEY: &str = "a.nc";

/// User and password of the proxy, and their form in a request.
const LOGIN: &str = "user:hush";
const BASIC: &str = "Basic dXNlcjpodXNo";

/// A public server, and the same server behind TLS.
struct Servers {
    server: S3,
    tls: Tls,
    /// Seconds.
    timeout: &'static str,
}

impl Servers {
    fn start() -> Self {
        let server = S3::start_public();
        server.put(KEY, &testdata("classic/weather-5.nc"));
        let tls = Tls::start(server.port());
        let timeout = "30";
        Self {
            server,
            tls,
            timeout,
        }
    }

    fn urls(&self) -> [String; 2] {
        [self.server.url(), self.tls.url()]
    }

    /// Reads both addresses from a server of one of the URLs, with more variables and lines of an rc file.
    fn read(&self, url: &str, more: &[(&'static str, String)], rc: &str) -> Vec<CommandOutput> {
        let mut variables = S3::environment_at(url);
        variables.push(("SSL_CERT_FILE", text(&Tls::authority()).to_owned()));
        variables.extend_from_slice(more);
        let web = format!("{url}/bucket/{KEY}#mode=bytes");
        let addresses = [web, format!("s3://bucket/{KEY}")];
        let read = |address: &String| {
            let home = Sandbox::new();
            home.write(".ncrc", rc);
            let args = ["ncdump", "-h", "--timeout", self.timeout, address];
            Running::start_at(home, variables.clone(), &args).end()
        };
        addresses.iter().map(read).collect()
    }
}

/// Returns the proxy's record for one server.
fn want(url: &str) -> Vec<String> {
    match url.strip_prefix("https://") {
        Some(host) => vec![format!("CONNECT {host}")],
        None => vec![format!("GET {url}")],
    }
}

fn clean(all: Vec<CommandOutput>) {
    for got in all {
        let _ = got.clean();
    }
}

#[test]
fn variables_name_a_proxy_for_each_protocol() {
    let servers = Servers::start();
    let proxy = Forward::start();
    let [plain, safe] = servers.urls();
    for (name, url, passes) in [
        ("http_proxy", &plain, true),
        ("https_proxy", &safe, true),
        ("HTTPS_PROXY", &safe, true),
        ("all_proxy", &safe, true),
        ("http_proxy", &safe, false),
        ("https_proxy", &plain, false),
    ] {
        let named = (name, format!("http://{}", proxy.host()));
        clean(servers.read(url, &[named], ""));
        let passed = proxy.passed();
        let want = if passes { want(url) } else { vec![] };
        assert_eq!(passed, want, "{name} {url}");
    }
}

#[test]
fn rc_files_name_a_proxy_for_all() {
    let servers = Servers::start();
    let proxy = Forward::start();
    for url in servers.urls() {
        let rc = format!("HTTP.PROXY.SERVER=http://{}\n", proxy.host());
        clean(servers.read(&url, &[], &rc));
        assert_eq!(proxy.passed(), want(&url));
        let other = format!("[http://127.0.0.1:1]{rc}");
        clean(servers.read(&url, &[], &other));
        assert_eq!(proxy.passed(), Vec::<String>::new());
    }
}

#[test]
fn no_proxy_excludes_hosts() {
    let servers = Servers::start();
    let proxy = Forward::start();
    for url in servers.urls() {
        for name in ["no_proxy", "NO_PROXY"] {
            let address = format!("http://{}", proxy.host());
            let rc = format!("HTTP.PROXY.SERVER={address}\n");
            let variables = |hosts: &str| {
                vec![
                    ("http_proxy", address.clone()),
                    ("https_proxy", address.clone()),
                    (name, hosts.to_owned()),
                ]
            };
            for rc in ["", &rc] {
                clean(servers.read(&url, &variables("x,127.0.0.1"), rc));
                assert_eq!(proxy.passed(), Vec::<String>::new(), "{name}");
                clean(servers.read(&url, &variables("x"), rc));
                assert_eq!(proxy.passed(), want(&url), "{name}");
            }
        }
    }
}

#[test]
fn passwords_of_proxies_are_used_and_not_shown() {
    let mut servers = Servers::start();
    let proxy = Forward::start_for(BASIC);
    for url in servers.urls() {
        servers.timeout = "30";
        let rc = |login: &str, host: &str| format!("HTTP.PROXY.SERVER=http://{login}{host}\n");
        let host = proxy.host();
        clean(servers.read(&url, &[], &rc(&format!("{LOGIN}@"), &host)));
        assert_eq!(proxy.passed(), want(&url));
        servers.timeout = "1";
        let bad = [
            rc("", &host),
            rc("user:hush2@", &host),
            rc("user:hush2@", "127.0.0.1:1"),
            rc("user:hush2@", ":x"),
            rc("user:hush2@", "[x"),
        ];
        for rc in bad {
            for got in servers.read(&url, &[], &rc) {
                failed(&got, &[]);
            }
        }
        let address = format!("http://user:hush2@{host}");
        let named = [("http_proxy", address.clone()), ("https_proxy", address)];
        for got in servers.read(&url, &named, "") {
            failed(&got, &[]);
        }
        assert_eq!(proxy.passed(), Vec::<String>::new());
    }
}

#[test]
fn roles_are_not_queried_on_other_machines() {
    let proxy = Forward::start();
    let address = format!("http://{}", proxy.host());
    for (dataset, host) in [
        ("gs://bucket/a.nc", "storage.googleapis.com"),
        (
            "abfs://c@own.dfs.core.windows.net/a.nc",
            "own.blob.core.windows.net",
        ),
    ] {
        let named = ["http_proxy", "https_proxy"].map(|name| (name, address.clone()));
        let begun = Instant::now();
        let args = ["ncdump", "-h", "--timeout", "1", dataset];
        failed(&run(named.to_vec(), &args), &["a.nc"]);
        assert_eq!(proxy.passed(), [format!("CONNECT {host}:443")]);
        assert!(begun.elapsed() < PATIENCE / 4);
    }
}

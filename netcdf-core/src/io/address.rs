//! Addresses of data on other machines: web servers and object stores. `locator` parses them.

/// Data on another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Who has it.
    pub service: Service,
    /// The name of the object, or of all objects of a store; without slashes at its ends. Empty for the whole of a bucket, and where
    /// the service is a web server.
    pub key: String,
    /// What the fragment says, apart from `mode`: names in lower case, and values.
    pub said: Vec<(String, String)>,
}

impl Address {
    /// The address without its query and fragment, in one form for each service. It does not have what was written before an `@`.
    #[must_use]
    pub fn short(&self) -> String {
        let (protocol, bucket) = match &self.service {
            Service::Web { url } => return shortened(url),
            Service::S3 { bucket, .. } => ("s3", bucket),
            Service::Google { bucket } => ("gs", bucket),
            Service::Azure { container, .. } => ("az", container),
        };
        match self.key.as_str() {
            "" => format!("{protocol}://{bucket}"),
            key => format!("{protocol}://{bucket}/{key}"),
        }
    }
}

/// A URL without its query, and without a login: what messages may show.
#[must_use]
pub fn shortened(url: &str) -> String {
    let url = url.split('?').next().unwrap_or_default();
    let Some((protocol, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(h, p)| (h, Some(p)));
    let host = host.rsplit('@').next().unwrap_or_default();
    match path {
        None => format!("{protocol}://{host}"),
        Some(path) => format!("{protocol}://{host}/{path}"),
    }
}

/// A service with objects, and the part of it that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Service {
    /// A web server.
    Web {
        /// The address without its fragment.
        url: String,
    },
    /// Amazon's S3, or a service with the same interface.
    S3 {
        /// The bucket.
        bucket: String,
        /// The region, if the address has it.
        region: Option<String>,
        /// Protocol, host and port of a service other than Amazon's.
        endpoint: Option<String>,
    },
    /// Google Cloud Storage.
    Google {
        /// The bucket.
        bucket: String,
    },
    /// Azure's blobs.
    Azure {
        /// The account, if the address has it.
        account: Option<String>,
        /// The container.
        container: String,
    },
}

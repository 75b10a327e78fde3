//! Addresses of data on web servers and in object stores. `locator` parses them.

use std::collections::BTreeMap;

use crate::shown::ShownAddress;

/// The address of remote data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The service that stores the data.
    pub service: Service,
    /// The object name, or the common prefix of a store's keys, without leading and trailing slashes. Empty for a whole bucket and for web
    /// servers.
    pub key: String,
    /// The settings in the fragment except `mode`, as pairs of lower-case name and value.
    pub said: Vec<(String, String)>,
}

impl Address {
    /// The address without user information, query and fragment. Each service has one form.
    #[must_use]
    pub fn short(&self) -> String {
        if let Service::Web { url } = &self.service {
            return ShownAddress::new(url).into_text();
        }
        let (protocol, bucket) = self.service.place();
        match self.key.as_str() {
            "" => format!("{protocol}://{bucket}"),
            key => format!("{protocol}://{bucket}/{key}"),
        }
    }

    /// Checks whether two addresses may lead to the same object, or one address is a prefix of the other. A bucket can have many addresses,
    /// so equal bucket names are enough.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let same = match (&self.service, &other.service) {
            (Service::S3 { bucket, .. }, Service::S3 { bucket: other, .. })
            | (Service::Google { bucket }, Service::Google { bucket: other }) => bucket == other,
            (
                Service::Azure { account, container },
                Service::Azure {
                    account: other_account,
                    container: other,
                },
            ) => {
                let accounts = account.as_ref().zip(other_account.as_ref());
                container == other && accounts.is_none_or(|(a, b)| a == b)
            }
            (Service::Web { url }, Service::Web { url: other }) => url == other,
            _ => false,
        };
        let within = |outer: &str, inner: &str| {
            let rest = inner.strip_prefix(outer);
            outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        same && (within(&self.key, &other.key) || within(&other.key, &self.key))
    }
}

/// A set of addresses with a fast check for overlaps.
#[derive(Debug, Default)]
pub struct Addresses<'a> {
    /// The addresses by service, bucket name and key.
    all: BTreeMap<(&'static str, &'a str, &'a str), Vec<&'a Address>>,
}

impl<'a> FromIterator<&'a Address> for Addresses<'a> {
    fn from_iter<I: IntoIterator<Item = &'a Address>>(addresses: I) -> Self {
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for address in addresses {
            let (service, bucket) = address.service.place();
            all.entry((service, bucket, address.key.as_str()))
                .or_default()
                .push(address);
        }
        Self { all }
    }
}

impl Addresses<'_> {
    /// Checks whether an address overlaps with an address of the set ([`Address::overlaps`]).
    #[must_use]
    pub fn overlap(&self, other: &Address) -> bool {
        let (service, bucket) = other.service.place();
        let key = other.key.as_str();
        let overlaps = |found: &[&Address]| found.iter().any(|address| address.overlaps(other));
        let slashes = key.match_indices('/');
        let mut outer = slashes
            .filter_map(|(end, _)| key.get(..end))
            .chain(["", key]);
        let inner = match key {
            "" => String::new(),
            key => format!("{key}/"),
        };
        let place = (service, bucket, inner.as_str());
        outer.any(|key| {
            self.all
                .get(&(service, bucket, key))
                .is_some_and(|found| overlaps(found))
        }) || (self.all.range(place..))
            .take_while(|((s, b, key), _)| (*s, *b) == (service, bucket) && key.starts_with(&inner))
            .any(|(_, found)| overlaps(found))
    }
}

/// Host and port of a URL.
#[must_use]
pub fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

/// Decodes `%XX` sequences.
#[must_use]
pub fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match (code, part.get(2..)) {
            (Some(code), Some(rest)) => {
                bytes.push(code);
                bytes.extend_from_slice(rest.as_bytes());
            }
            _ => bytes.extend(b"%".iter().chain(part.as_bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A service, and the bucket or container.
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

impl Service {
    /// The protocol, and the bucket, container or URL.
    fn place(&self) -> (&'static str, &str) {
        match self {
            Self::Web { url } => ("https", url),
            Self::S3 { bucket, .. } => ("s3", bucket),
            Self::Google { bucket } => ("gs", bucket),
            Self::Azure { container, .. } => ("az", container),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s3(bucket: &str, key: &str, endpoint: Option<&str>) -> Address {
        Address {
            service: Service::S3 {
                bucket: bucket.to_owned(),
                region: None,
                endpoint: endpoint.map(str::to_owned),
            },
            key: key.to_owned(),
            said: vec![],
        }
    }

    #[test]
    fn escapes_are_replaced() {
        for (text, want) in [
            ("a%20b", "a b"),
            ("%C3%A9", "\u{e9}"),
            ("100%", "100%"),
            ("%zz%2", "%zz%2"),
        ] {
            assert_eq!(decoded(text), want);
        }
    }

    #[test]
    fn addresses_of_the_same_objects_overlap() {
        let own = s3("b", "a/c", None);
        for (key, want) in [
            ("a/c", true),
            ("a", true),
            ("", true),
            ("a/c/d", true),
            ("a/cd", false),
            ("x", false),
        ] {
            assert_eq!(own.overlaps(&s3("b", key, None)), want, "{key}");
            assert_eq!(s3("b", key, Some("http://h")).overlaps(&own), want, "{key}");
            assert!(!own.overlaps(&s3("other", key, None)));
        }
    }

    #[test]
    fn addresses_that_overlap_are_found_among_many() {
        let keys = [
            "", "a", "a/c", "a/c/d", "a/c-d", "a/cd", "a/c/d/e", "x", "x/y",
        ];
        let azure = |account: Option<&str>, key: &str| Address {
            service: Service::Azure {
                account: account.map(str::to_owned),
                container: "b".to_owned(),
            },
            key: key.to_owned(),
            said: vec![],
        };
        let web = |url: &str| Address {
            service: Service::Web {
                url: url.to_owned(),
            },
            key: String::new(),
            said: vec![],
        };
        let mut others: Vec<Address> = keys.iter().map(|key| s3("b", key, None)).collect();
        others.extend(keys.iter().map(|key| azure(Some("one"), key)));
        others.extend(["a", "x/y"].map(|key| azure(None, key)));
        others.extend(["http://h/b", "http://h/b/x"].map(web));
        // Compare the result with pairwise checks, for sets of two and three addresses.
        for (n, first) in others.iter().enumerate() {
            for second in &others {
                let set = [first, second, &others[(n * 7 + 3) % others.len()]];
                let index: Addresses<'_> = set.into_iter().collect();
                for own in others.iter().chain([&azure(Some("two"), "a/c")]) {
                    let want = set.iter().any(|address| own.overlaps(address));
                    assert_eq!(index.overlap(own), want, "{own:?} {set:?}");
                }
            }
        }
    }
}

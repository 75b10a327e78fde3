//! Common setup for tests of copies in parts.

use std::fmt::Write as _;

use super::*;

/// Keys below a prefix, with their bytes.
pub type Objects = BTreeMap<String, Vec<u8>>;

/// A server, a local dataset, and the plan `p` for a copy to the server.
pub struct Site {
    pub server: S3,
    pub sandbox: Sandbox,
}

impl Site {
    /// The dataset has missing chunks, an unlimited dimension, strings, which `--finish` copies, and a scalar.
    pub fn new() -> Self {
        let mut numbers = String::new();
        for n in 0..6 * 20 * 30 {
            let _ = write!(numbers, "{}{}", if n > 0 { ", " } else { "" }, n * 7 % 1000);
        }
        let cdl = format!(
            r#"netcdf a {{
dimensions: time = UNLIMITED ; y = 20 ; x = 30 ; n = 2 ;
variables:
  float t(time, y, x) ; t:_ChunkSizes = 1, 20, 30 ; t:_DeflateLevel = 1 ; t:_FillValue = -1.f ;
  double time(time) ; time:units = "days since 2001-01-01" ;
  short empty(y, x) ; empty:_ChunkSizes = 10, 10 ; empty:_FillValue = 3s ;
  string name(n) ; int scalar ;
data: t = {numbers} ; time = 0, 1, 2, 3, 4, 5 ; name = "abc", "de" ; scalar = 5 ;
group: g {{ variables: byte b(y) ; data: b = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; }}
}}"#
        );
        Self {
            server: S3::start(),
            sandbox: made(&cdl, &[("a.nc", "nc4")]),
        }
    }

    /// Creates a site with a plan of this number of parts.
    pub fn planned(parts: u64, options: &[&str]) -> Self {
        let site = Self::new();
        site.plan(parts, options);
        site
    }

    pub fn path(&self, name: &str) -> String {
        text(&self.sandbox.path(name)).to_owned()
    }

    /// Runs `nccopy` on the plan.
    pub fn at(&self, variables: Variables, options: &[&str]) -> CommandOutput {
        let plan = self.path("p");
        let args = [&["nccopy", "--quiet"], options, &[&plan]].concat();
        run(variables, &args)
    }

    pub fn nccopy(&self, options: &[&str]) -> CommandOutput {
        self.at(self.server.environment(), options)
    }

    #[track_caller]
    pub fn succeeds(&self, options: &[&str]) {
        let got = self.nccopy(options);
        assert_eq!(got.code, 0, "{options:?}: {got}");
    }

    pub fn try_plan(&self, parts: u64, options: &[&str]) -> CommandOutput {
        let (plan, input, parts) = (self.path("p"), self.path("a.nc"), parts.to_string());
        let args = ["nccopy", "--plan", &plan, "--parts", &parts];
        let args = [&args, options, &[&input, OUTPUT]].concat();
        run(self.server.environment(), &args)
    }

    #[track_caller]
    pub fn plan(&self, parts: u64, options: &[&str]) {
        let got = self.try_plan(parts, options);
        assert_eq!(got.code, 0, "{options:?}: {got}");
    }

    /// Returns the objects of a copy in one process.
    pub fn want(&self, options: &[&str]) -> Objects {
        let ends = [&self.path("a.nc"), "s3://bucket/want"];
        let args = [&["nccopy", "--quiet"], options, &ends].concat();
        assert_eq!(run(self.server.environment(), &args).code, 0);
        let want = files(&self.server.folder().join("want"));
        assert!(want.len() > 10);
        want
    }

    /// Returns the objects below the output's key.
    pub fn made(&self) -> Objects {
        files(&self.server.folder().join("run/made"))
    }

    pub fn has(&self, key: &str) -> bool {
        self.made().contains_key(key)
    }

    pub fn claim(&self) -> PathBuf {
        self.server.folder().join("run/made").join(CLAIM)
    }

    /// Remove the record of a finished part.
    pub fn forget(&self, part: u64) {
        let done = self.path(&format!("p/done/{part}.json"));
        std::fs::remove_file(done).unwrap();
    }
}

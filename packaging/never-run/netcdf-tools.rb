# NEVER RUN. A Homebrew formula. The formula netcdf has ncdump, ncgen and nccopy, so this one is keg-only.
class NetcdfTools < Formula
  desc "Command-line tools for netCDF, HDF5 and Zarr, without libnetcdf and libhdf5"
  homepage "https://example.org/netcdf-tools"
  url "https://example.org/netcdf-tools-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  keg_only "ncdump, ncgen and nccopy conflict with the formula netcdf"

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--profile", "dist", *std_cargo_args(path: "packaging/netcdf-tools")
    %w[ncdump ncgen ncgen3 nccopy zdump].each { |tool| bin.install_symlink "netcdf-tools" => tool }
    man1.install Dir["docs/man/*.1"]
    bash_completion.install Dir["completions/bash/*"]
    zsh_completion.install Dir["completions/zsh/*"]
    fish_completion.install Dir["completions/fish/*"]
  end

  test do
    (testpath/"a.cdl").write "netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    system bin/"ncgen", "-o", "a.nc", "a.cdl"
    assert_match "v = 1, 2", shell_output("#{bin}/ncdump a.nc")
  end
end

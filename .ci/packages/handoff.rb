# Homebrew installs the programs of the release with it: brew install --formula ./handoff.rb
class Handoff < Formula
  desc "Hand work over: stored whole, never lost, never silently changed"
  homepage "https://github.com/seed-78daf238/handoff"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL@/handoff_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@SHA256_darwin_arm64@"
    end
    on_intel do
      url "@URL@/handoff_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@SHA256_darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/handoff_@VERSION@_linux_arm64.tar.gz"
      sha256 "@SHA256_linux_arm64@"
    end
    on_intel do
      url "@URL@/handoff_@VERSION@_linux_amd64.tar.gz"
      sha256 "@SHA256_linux_amd64@"
    end
  end

  def install
    prefix.install "bin", "share"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/handoff version")
  end
end

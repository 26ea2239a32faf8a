# Nix installs the programs of the release with it: nix profile install <its archive>
{
  description = "Hand work over: stored whole, never lost, never silently changed";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
        x86_64-linux = { system = "linux_amd64"; sha256 = "@SHA256_linux_amd64@"; };
        aarch64-linux = { system = "linux_arm64"; sha256 = "@SHA256_linux_arm64@"; };
        x86_64-darwin = { system = "darwin_amd64"; sha256 = "@SHA256_darwin_amd64@"; };
        aarch64-darwin = { system = "darwin_arm64"; sha256 = "@SHA256_darwin_arm64@"; };
      };
      package = pkgs: archive: pkgs.stdenvNoCC.mkDerivation {
        pname = "handoff";
        inherit version;
        src = pkgs.fetchurl {
          url = "@URL@/handoff_${version}_${archive.system}.tar.gz";
          inherit (archive) sha256;
        };
        dontConfigure = true;
        dontBuild = true;
        dontFixup = true; # the programs are static and stripped
        installPhase = ''
          mkdir $out
          cp -r bin share $out/
        '';
        meta = {
          description = "Hand work over: stored whole, never lost, never silently changed";
          homepage = "https://github.com/seed-78daf238/handoff";
          license = nixpkgs.lib.licenses.asl20;
          mainProgram = "handoff";
          platforms = builtins.attrNames archives;
        };
      };
    in
    {
      packages = builtins.mapAttrs
        (system: archive: { default = package nixpkgs.legacyPackages.${system} archive; })
        archives;
    };
}

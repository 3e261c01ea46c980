# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels from Debian's packages, unpacked and not installed.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with kernel

# To be increased when the same packages give another result.
readonly FETCH_RECIPE=1

# The mirror ---------------------------------------------------------------

# Entries of the sources of apt below directory $1: URI|SUITES|COMPONENTS|KEYRING.
apt_entries() {
	local file
	for file in "$1/sources.list" "$1/sources.list.d"/*.list; do
		[ ! -r "$file" ] || list_entries "$file"
	done
	for file in "$1/sources.list.d"/*.sources; do
		[ ! -r "$file" ] || stanza_entries "$file"
	done
}

# deb [OPTION=VALUE OPTION=VALUE] URI SUITE COMPONENT...
list_entries() {
	awk '{ sub(/#.*/, "") }
		$1 == "deb" {
			keyring = components = ""
			at = 2
			if ($2 ~ /^\[/)
				for (at = 3; at <= NF && $(at - 1) !~ /\]$/; at++)
					;
			for (i = 2; i < at; i++)
				if (sub(/^\[?signed-by=/, "", $i) && sub(/\]?$/, "", $i))
					keyring = $i
			for (i = at + 2; i <= NF; i++)
				components = components " " $i
			print $at "|" $(at + 1) "|" components "|" keyring
		}' "$1"
}

# A keyring that is written out instead of named is left to apt's trusted ones.
stanza_entries() {
	grep -v '^#' "$1" | awk '
		BEGIN { RS = ""; FS = "\n" }
		{
			split("", value)
			for (i = 1; i <= NF; i++)
				if (match($i, /^[A-Za-z-]+: */))
					value[tolower(substr($i, 1, index($i, ":") - 1))] = \
						substr($i, RLENGTH + 1)
			split(value["uris"], uris, " ")
			if (value["types"] ~ /(^| )deb( |$)/ && value["enabled"] !~ /^(no|false)/)
				print uris[1] "|" value["suites"] "|" value["components"] "|" \
					value["signed-by"]
		}'
}

# "URI KEYRING" of the Debian archive: what has the main component of the release of
# this system or of a symbolic one. Others may name theirs so, but not the path.
debian_archive() {
	local codename uri suites components keyring
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
	while IFS='|' read -r uri suites components keyring; do
		if [[ ${uri%/} = */debian ]] && [[ " $components " = *" main "* ]] &&
			[[ " $suites " =~ " "($codename|oldstable|stable|testing|unstable|sid)" " ]]; then
			echo "$uri $keyring"
			return
		fi
	done < <(apt_entries /etc/apt)
	die "no Debian archive in /etc/apt/sources.list or /etc/apt/sources.list.d"
}

# Packages -----------------------------------------------------------------

# private_apt SUITE...: sets apt_options, and gets the lists of these suites. Nothing
# of it is seen by the apt of this system, nor does that system's state matter here.
private_apt() {
	local apt=$work/apt archive suite
	archive=$(debian_archive)
	rm -rf "$apt"
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/preferences"
	for suite; do
		printf '%s\n' "Types: ${apt_types:-deb}" "URIs: ${archive%% *}" "Suites: $suite" \
			"Components: main"
		[ -z "${archive#* }" ] || echo "Signed-By: ${archive#* }"
		echo
	done >"$apt/debian.sources"
	: >"$apt/status"
	apt_options=(
		-qq -o "Dir::Etc::sourcelist=$apt/debian.sources"
		-o Dir::Etc::sourceparts=- -o Dir::Etc::preferences=-
		-o "Dir::Etc::preferencesparts=$apt/preferences" -o "Dir::State::lists=$apt/lists"
		-o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
		-o APT::Sandbox::User="$(id -un)" -o APT::Architecture=amd64
		-o Acquire::Languages=none -o Acquire::Retries=2
		-o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
	)
	# A mirror need not have all suites.
	apt-get "${apt_options[@]}" --error-on=any update >&2 ||
		say "not all of these could be asked for packages: $*"
}

# newest_package PATTERN: "PACKAGE VERSION" of the one with the highest version of
# those whose name the pattern matches, or nothing.
newest_package() {
	local names
	mapfile -t names < <(apt-cache "${apt_options[@]}" pkgnames linux- |
		grep -E -- "$1" || true)
	[ ${#names[@]} -eq 0 ] || apt-cache "${apt_options[@]}" madison "${names[@]}" |
		awk -F ' *[|] *' '{ sub(/^ */, ""); print $2, $1 }' |
		sort -V | tail -n 1 | awk '{ print $2, $1 }'
}

# download DIRECTORY PACKAGE=VERSION...
download() {
	local directory=$1
	shift
	mkdir -p "$directory"
	(cd "$directory" && apt-get "${apt_options[@]}" download "$@" >&2) ||
		die "could not download $*"
}

# Packages of the headers that building modules needs besides those of $1.
header_packages() {
	apt-cache "${apt_options[@]}" show "$1" | sed -n 's/^Depends: //p' |
		grep -oE 'linux-(headers|kbuild)-[^ ,]+' | sort -u
}

# fetch_kernel 6.1|6.12 ----------------------------------------------------

suite_of() {
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo bookworm-backports ;;
	esac
}

fetch_kernel() {
	local suite package version release packages
	need_packages kmod xz-utils
	suite=$(suite_of "$1")
	private_apt "$suite"
	read -r package version < <(newest_package "^linux-image-${1/./\\.}\.[0-9]+[^-]*(-[0-9]+)?-amd64$") ||
		die "found no package of Linux $1 in $suite"
	if is_current "$1" "$version"; then
		return
	fi
	release=${package#linux-image-}
	mapfile -t packages < <(header_packages "linux-headers-$release")
	say "fetching $package $version"
	rm -rf "$work/packages" "$work/new"
	download "$work/packages" "$package" "linux-headers-$release" "${packages[@]}"
	unpack_kernel "$release"
	publish "$1" "$version"
}

# Images and headers as installed, but for absolute paths: they lie elsewhere.
unpack_kernel() {
	local new=$work/new package headers=usr/src/linux-headers-$1
	mkdir "$new"
	for package in "$work/packages"/*.deb; do
		dpkg-deb -x "$package" "$new"
	done
	chmod 0755 "$new"
	# shellcheck disable=SC2016 # that is make's
	sed -i 's:^include /usr/src/:include $(dir $(lastword $(MAKEFILE_LIST)))../:' \
		"$new/$headers/Makefile"
	ln -s "$headers" "$new/build"
	ln -sfn "../../../$headers" "$new/lib/modules/$1/build"
	rm -f "$new/lib/modules/$1/source"
	depmod -b "$new" "$1"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs the plugin of this folder beside a MariaDB server, or takes it away again.
#
# All or nothing. What will be replaced is copied first, and a journal in the plugin's folder lists
# it. An error, a signal or the next run undoes what the journal says; without a journal nothing is
# half done. Nothing is written before all checks have passed, except a folder to try the plugin in.
set -uo pipefail
umask 022

NAME=ha_rocksdb.so
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
server='' plugin_dir='' config_dir='' systemd_dir='' uninstall='' journal='' locked=''
targets=()  # what will be changed

usage() {
    cat <<'END'
usage: ./install [OPTIONS]              installs or upgrades; needs root
       ./install --uninstall [OPTIONS]  takes it away again; no table is deleted

  --server FILE      the server's program; default: mariadbd in the path or in /usr/sbin
  --plugin-dir DIR   where the server looks for plugins; default: as the server says
  --config-dir DIR   where the server reads *.cnf; default: /etc/mysql/mariadb.conf.d, /etc/my.cnf.d
  --systemd-dir DIR  for limits; default: /etc/systemd/system/mariadb.service.d; `none`: without
END
}

refuse() {
    echo "install: $1" >&2
    exit 1
}

read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --help) usage; exit 0 ;;
            --uninstall) uninstall=yes; shift; continue ;;
            --server | --plugin-dir | --config-dir | --systemd-dir)
                [ $# -gt 1 ] || refuse "$1 needs a value; ./install --help lists the options" ;;
            *) refuse "no option '$1'; ./install --help lists them" ;;
        esac
        case $1 in
            --server) server=$2 ;;
            --plugin-dir) plugin_dir=$2 ;;
            --config-dir) config_dir=$2 ;;
            --systemd-dir) systemd_dir=$2 ;;
        esac
        shift 2
    done
}

# ---- what must hold before anything is written

check_tarball() {
    (cd "$here" && sha256sum --quiet --strict -c SHA256SUMS) >/dev/null 2>&1 ||
        refuse "the files beside this script have changed; unpack the tarball anew"
}

# The value of a line NAME=VALUE of the file BUILD.
built() {
    sed -n "s/^$1=//p" "$here/BUILD"
}

check_processor() {
    [ "$(uname -m)" = "$(built machine)" ] ||
        refuse "the plugin is for $(built machine), this machine is $(uname -m)"
    # an emulator of ARM shows the other processor's file, which has no such line
    [ "$(uname -m)" != aarch64 ] || grep -q '^Features' /proc/cpuinfo || return 0
    for flag in $(built processor_flags); do
        grep -qw "$flag" /proc/cpuinfo ||
            refuse "this processor lacks $flag, without which the plugin does not load: use one\
 with $(built processors)"
    done
}

find_server() {
    if [ -z "$server" ]; then
        server=$(command -v mariadbd || echo /usr/sbin/mariadbd)
    fi
    [ -x "$server" ] ||
        refuse "no server: $server; install MariaDB $(built release), or name it with --server"
}

check_version() {
    said=$("$server" --version 2>/dev/null) ||
        refuse "$server --version fails; name another one with --server"
    version=$(printf '%s\n' "$said" | sed -n 's/.* Ver \([^ ]*\) .*/\1/p')
    release=${version%%-*}
    [ "$release" = "$(built release)" ] ||
        refuse "the server is MariaDB ${version:-of an unknown version}, the plugin is for\
 $(built release): take the tarball for ${release:-that server}"
    case $version in
        *debug* | *valgrind* | *asan*)
            refuse "the plugin does not fit a debug build ($version): use the ordinary server" ;;
        "$(built server)") ;;
        *) echo "install: note: the plugin was built for $(built server), the server is $version" ;;
    esac
}

find_plugin_dir() {
    if [ -z "$plugin_dir" ]; then
        plugin_dir=$("$server" --print-defaults 2>/dev/null | tr ' ' '\n' |
            sed -n 's/^--plugin[-_]dir=//p' | tail -n 1)
    fi
    if [ -z "$plugin_dir" ]; then
        plugin_dir=$("$server" --no-defaults --verbose --help 2>/dev/null |
            sed -n 's/^plugin-dir  *//p')
    fi
    plugin_dir=${plugin_dir%/}
    [ -d "$plugin_dir" ] || refuse "no folder for plugins: '$plugin_dir'; name it with --plugin-dir"
    journal=$plugin_dir/.basalt-journal
    plugin=$plugin_dir/$NAME
    before=$plugin.before-basalt
    record=$plugin.installed
}

# One run at a time; the kernel gives the lock back.
take_lock() {
    [ -w "$plugin_dir" ] || refuse "$plugin_dir cannot be written to: run this as root"
    exec 9<"$plugin_dir"
    flock -n 9 || refuse "another run of this script is busy with $plugin_dir"
    locked=yes
}

find_config_dir() {
    for folder in "$config_dir" /etc/mysql/mariadb.conf.d /etc/my.cnf.d; do
        if [ -n "$folder" ] && [ -d "$folder" ]; then
            config_dir=${folder%/}
            break
        elif [ -n "$config_dir" ]; then
            refuse "no folder: $config_dir (--config-dir)"
        fi
    done
    [ -n "$config_dir" ] ||
        refuse "no folder for option files; name one with --config-dir that the server reads"
    [ -w "$config_dir" ] || refuse "$config_dir cannot be written to: run this as root"
}

find_systemd_dir() {
    if [ -z "$systemd_dir" ]; then
        systemd_dir=none
        [ ! -d /etc/systemd/system ] || systemd_dir=/etc/systemd/system/mariadb.service.d
    fi
    [ "$systemd_dir" != none ] || return 0
    systemd_dir=${systemd_dir%/}
    local folder=$systemd_dir
    [ -d "$folder" ] || folder=$(dirname "$folder")
    [ -w "$folder" ] ||
        refuse "$folder cannot be written to: run this as root, or with --systemd-dir none"
}

check_earlier() {
    option_file=$config_dir/rocksdb.cnf
    drop_in=$systemd_dir/basalt.conf
    [ -e "$record" ] || return 0
    while read -r file; do
        case $file in
            "$plugin" | "$option_file" | "$drop_in") ;;
            *) refuse "installed with other folders ($file): run ./install --uninstall first" ;;
        esac
    done < <(recorded_files)
}

recorded_files() {
    sed -n 's/^[0-9a-f]*  //p' "$record"
}

check_owner() {
    owner=''
    if command -v dpkg-query >/dev/null; then
        owner=$(dpkg-query -S "$plugin" 2>/dev/null | sed 's/: .*//')
    elif command -v rpm >/dev/null; then
        owner=$(rpm -qf "$plugin" 2>/dev/null) || owner=''
    fi
    [ -z "$owner" ] ||
        refuse "$plugin belongs to the package $owner: remove it, or take Basalt's package"
}

check_space() {
    needed=$(($(du -k "$here/$NAME" | cut -f 1) * 3))
    free=$(df -Pk "$plugin_dir" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$needed" ] || refuse "$plugin_dir has $free KB free, $needed are needed"
}

# The server itself loads the plugin, with the option files that it reads, and starts nothing.
try_plugin() {
    trial=$(mktemp -d "$plugin_dir/.basalt-trial.XXXXXX") || refuse "$plugin_dir: no room"
    for file in "$plugin_dir"/*.so; do
        [ ! -e "$file" ] || ln -s "$file" "$trial/"
    done
    rm -f "$trial/$NAME"
    cp "$here/$NAME" "$trial/$NAME" || refuse "$plugin_dir has no space left"
    local status=0
    {
        "$server" --plugin-load-add="$NAME" --plugin-dir="$trial" --datadir="$trial" \
            --verbose --help >"$trial/said" 2>"$trial/errors" </dev/null || status=$?
    } 2>/dev/null  # what bash says of a program that a signal ended
    [ "$status" -le 128 ] || refuse "the server ends with signal $((status - 128)) when it loads\
 the plugin: unpack the tarball anew"
    if [ $status -ne 0 ] || ! grep -q '^rocksdb ' "$trial/said"; then
        problem=$(sed -n 's/.*\[ERROR\] //p' "$trial/errors" | head -n 1)
        refuse "the server would not start with the plugin (see its option files):\
 ${problem:-status $status}"
    fi
    rm -rf "$trial"
}

# ---- changes, all or none

# journal.new: copies are being made, nothing is changed yet. journal: files are being changed.
# journal.done: what was changed holds. Each lists the files as `present FILE`, `absent FILE` or
# `folder FOLDER`: goes at the end if nothing else is in it.

# Copies what is there: from here on an end without commit() is undone.
begin() {
    for file in "${targets[@]}"; do
        if [ -d "$file" ]; then
            echo "folder $file"
        elif [ -e "$file" ]; then
            echo "present $file"
        else
            echo "absent $file"
        fi
    done >"$journal.new" || return 1
    while read -r state file; do
        [ "$state" != present ] || cp -p "$file" "$file.basalt-old" || return 1
    done <"$journal.new"
    save "$journal.new"
    mv "$journal.new" "$journal"
}

commit() {
    save "$journal"
    mv "$journal" "$journal.done" || exit 1
    sync "$plugin_dir"
    clear_copies "$journal.done"
}

# Ends with the old state, whatever had been done; also after a run that was killed.
undo() {
    while read -r state file; do
        if [ "$state" = present ]; then
            [ ! -e "$file.basalt-old" ] || mv -f "$file.basalt-old" "$file"
        elif [ -d "$file" ]; then
            [ "$state" = folder ] || rmdir "$file"
        else
            rm -f "$file"
        fi
        rm -f "$file.basalt-new"
    done <"$journal"
    save "$journal"
    mv "$journal" "$journal.done"
}

# To the disk: the files that a journal lists, their copies and folders, and the journal.
save() { # JOURNAL
    while read -r state file; do
        for part in "$file" "$file.basalt-old" "${file%/*}"; do
            [ ! -e "$part" ] || sync "$part"
        done
    done <"$1"
    sync "$1" "$plugin_dir"
}

clear_copies() { # JOURNAL
    while read -r state file; do
        rm -f "$file.basalt-old" "$file.basalt-new"
        [ "$state" != folder ] || rmdir "$file" 2>/dev/null
    done <"$1"
    rm -f "$1"
}

# After whatever end of this or an earlier run.
recover() {
    rm -rf "$plugin_dir"/.basalt-trial.*
    [ ! -e "$journal" ] || undo
    for list in "$journal.new" "$journal.done"; do
        [ ! -e "$list" ] || clear_copies "$list"
    done
}

put() { # SOURCE TARGET
    cp "$1" "$2.basalt-new" && chmod 644 "$2.basalt-new" && mv -f "$2.basalt-new" "$2"
}

# As it was installed, by the record of that; false for a file that somebody has changed since.
is_unchanged() {
    [ -e "$record" ] && grep -F "  $1" "$record" | sha256sum --status -c 2>/dev/null
}

at_exit() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ -z "$locked" ] || recover
    exit "$status"
}

install_files() {
    local options='' keep=''
    targets=("$plugin" "$record")
    if [ ! -e "$option_file" ] || is_unchanged "$option_file"; then
        options=yes
        targets+=("$option_file")
    else
        echo "install: $option_file stays as it is"
    fi
    if [ "$systemd_dir" != none ]; then
        targets+=("$drop_in")
        [ -d "$systemd_dir" ] || targets+=("$systemd_dir")
    fi
    if [ -e "$plugin" ] && [ ! -e "$record" ]; then
        keep=yes
        targets+=("$before")
    fi
    begin || exit 1
    [ -z "$keep" ] || cp -p "$plugin" "$before" || exit 1
    put "$here/$NAME" "$plugin" || exit 1
    [ -z "$options" ] || put "$here/rocksdb.cnf" "$option_file" || exit 1
    if [ "$systemd_dir" != none ]; then
        mkdir -p "$systemd_dir" && put "$here/basalt.conf" "$drop_in" || exit 1
    fi
    write_record "$options" || exit 1
    check_read
    commit
}

check_read() {
    "$server" --print-defaults 2>/dev/null | tr _ - |
        grep -E -e '--plugin-load(-add)?=[^ ]*ha-rocksdb' >/dev/null ||
        refuse "the server does not read $option_file, or that loads no plugin: see the file,\
 or name another folder with --config-dir"
}

# $1: not empty when the option file was written, too.
write_record() {
    {
        echo "# Basalt $(built version), MariaDB $(built release); ./install --uninstall reads this"
        sha256sum "$plugin"
        if [ -n "$1" ]; then
            sha256sum "$option_file"
        elif [ -e "$record" ]; then
            grep -F "  $option_file" "$record"
        fi
        [ "$systemd_dir" = none ] || sha256sum "$drop_in"
    } >"$record.basalt-new"
    mv -f "$record.basalt-new" "$record"
}

uninstall_files() {
    if [ ! -e "$record" ]; then
        echo "install: Basalt is not installed in $plugin_dir"
        return 0
    fi
    local files=()
    mapfile -t files < <(recorded_files)
    targets=("$record" "${files[@]}" "${files[@]/%/.saved}")
    for file in "${files[@]}"; do
        [ "${file##*/}" != basalt.conf ] || targets+=("${file%/*}")
    done
    [ ! -e "$before" ] || targets+=("$before")
    begin || exit 1
    for file in "${files[@]}"; do
        remove_file "$file" || exit 1
    done
    [ ! -e "$before" ] || mv -f "$before" "$plugin" || exit 1
    rm "$record" || exit 1
    commit
    echo "install: Basalt is removed; the tables stay in the server's data directory"
}

# A file with changes of the user's is kept, under a name that the server does not read.
remove_file() {
    [ -e "$1" ] || return 0
    if is_unchanged "$1" || [ "$1" = "$plugin" ]; then
        rm "$1"
    else
        mv -f "$1" "$1.saved" && echo "install: your changes are in $1.saved"
    fi
}

reload_systemd() {
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
}

prepare_uninstall() {
    [ -n "$plugin_dir" ] || find_server
    find_plugin_dir
    take_lock
    recover
}

prepare_install() {
    check_tarball
    check_processor
    find_server
    check_version
    find_plugin_dir
    take_lock
    recover
    find_config_dir
    find_systemd_dir
    check_owner
    check_earlier
    check_space
    try_plugin
}

main() {
    read_options "$@"
    trap at_exit EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    if [ -n "$uninstall" ]; then
        prepare_uninstall
        uninstall_files
        reload_systemd
        return
    fi
    prepare_install
    install_files
    reload_systemd
    echo "install: Basalt $(built version) is installed; a running server loads it when restarted:"
    echo "    systemctl restart mariadb"
}

main "$@"

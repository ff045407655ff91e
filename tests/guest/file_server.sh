#!/bin/bash
# The guest's file server on loopback: Samba, or where there is none the kernel's own (ksmbd).
#
#   file_server.sh start [--without SHARE] [LINE...]
#       starts it, with the shares "share" and "share1" to "share50" but for one; the lines come into
#       the section [global] of Samba's configuration, and may begin other sections
#   file_server.sh stop             ends it, with its connections
#   file_server.sh password USER    sets the user's password, which standard input has
#   file_server.sh freeze           lets none of Samba's processes run until "thaw"
set -eu

shares() {
  local name
  mkdir -p /srv/share /srv/share{1..50}
  chmod 777 /srv/share /srv/share{1..50}
  for name in share share{1..50}; do
    [ "$name" != "$1" ] || continue
    printf '[%s]\n path = /srv/%s\n read only = no\n valid users = smbu\n' "$name" "$name"
  done
}

start_samba() {
  local without=$1
  shift
  mkdir -p /etc/samba /var/lib/samba/private /run/samba
  {
    printf '[global]\n server role = standalone server\n map to guest = never\n'
    printf ' interfaces = lo\n bind interfaces only = yes\n smb ports = 445\n'
    printf ' disable spoolss = yes\n load printers = no\n log level = 1\n'
    printf ' %s\n' "$@"
    shares "$without"
  } > /etc/samba/smb.conf
  smbd -D
}

# Those that serve one client each go on without their parent, and all end before another may start.
stop_samba() {
  pkill '^smbd' || true
  pkill -CONT '^smbd' || true
  timeout 20 bash -c 'while pgrep ^smbd > /dev/null; do sleep 0.05; done'
}

start_ksmbd() {
  mkdir -p /etc/ksmbd
  {
    printf '[global]\n netbios name = GUEST\n interfaces = lo\n bind interfaces only = yes\n'
    printf ' tcp port = 445\n map to guest = never\n smb3 encryption = mandatory\n'
    shares "$1"
  } > /etc/ksmbd/ksmbd.conf
  touch /etc/ksmbd/ksmbdpwd.db
  modprobe -q ksmbd || true  # part of the kernel, or not loaded by itself
  ksmbd.mountd
}

set_password_of_ksmbd() {
  ksmbd.adduser --password="$2" "$1" > /dev/null
  ksmbd.control --reload > /dev/null 2>&1 || true
}

frozen=/run/file_server_frozen
command=$1
shift
case $command in
  start)
    without=
    if [ "${1-}" = --without ]; then
      without=$2
      shift 2
    fi
    if [ -x /usr/sbin/smbd ]; then start_samba "$without" "$@"; else start_ksmbd "$without"; fi
    ;;
  stop)
    if [ -x /usr/sbin/smbd ]; then stop_samba; else ksmbd.control --shutdown > /dev/null; fi
    ;;
  password)
    read -r password
    # Most cases want the one that is set, and Samba's program takes an emulated processor half a second.
    last=/run/file_server.$1
    [ ! -e "$last" ] || [ "$(< "$last")" != "$password" ] || exit 0
    rm -f "$last"
    if [ -x /usr/sbin/smbd ]; then
      id "$1" > /dev/null 2>&1 || useradd --no-create-home "$1"
      printf '%s\n%s\n' "$password" "$password" | smbpasswd -s -a "$1" > /dev/null
    else
      set_password_of_ksmbd "$1" "$password"
    fi
    (umask 077 && printf '%s' "$password" > "$last")
    ;;
  freeze)
    touch "$frozen"
    pkill -STOP '^smbd'
    ;;
  thaw)
    [ -e "$frozen" ] || exit 0
    pkill -CONT '^smbd' || true
    rm "$frozen"
    ;;
  *) exit 2 ;;
esac

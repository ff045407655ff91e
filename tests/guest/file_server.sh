#!/bin/bash
# The guest's file server on loopback: Samba, or where there is none the kernel's own (ksmbd).
# Called under the names that smb_guest_test.cc has of it:
#
#   smb_start             starts it, with the shares "share" and "share1" to "share50"
#   smb_stop              ends it, with its connections
#   smb_password USER     sets the user's password, which standard input has
set -eu

shares() {
  local name
  for name in share share{1..50}; do
    mkdir -p "/srv/$name"
    chmod 777 "/srv/$name"
    printf '[%s]\n path = /srv/%s\n read only = no\n valid users = smbu\n' "$name" "$name"
  done
}

start_samba() {
  mkdir -p /etc/samba /var/lib/samba/private /run/samba
  {
    printf '[global]\n server role = standalone server\n map to guest = never\n'
    printf ' interfaces = lo\n bind interfaces only = yes\n smb ports = 445\n'
    printf ' disable spoolss = yes\n load printers = no\n log level = 1\n'
    shares
  } > /etc/samba/smb.conf
  smbd -D
}

start_ksmbd() {
  mkdir -p /etc/ksmbd
  {
    printf '[global]\n netbios name = GUEST\n interfaces = lo\n bind interfaces only = yes\n'
    printf ' tcp port = 445\n map to guest = never\n smb3 encryption = mandatory\n'
    shares
  } > /etc/ksmbd/ksmbd.conf
  touch /etc/ksmbd/ksmbdpwd.db
  ksmbd.mountd
}

set_password_of_ksmbd() {
  ksmbd.adduser --password="$2" "$1" > /dev/null
  ksmbd.control --reload > /dev/null 2>&1 || true
}

case $(basename "$0") in
  smb_start)
    if [ -x /usr/sbin/smbd ]; then start_samba; else start_ksmbd; fi
    ;;
  smb_stop)
    if [ -x /usr/sbin/smbd ]; then
      # Those that serve one client each go on without their parent.
      pkill -x smbd || true
    else
      ksmbd.control --shutdown > /dev/null
    fi
    ;;
  smb_password)
    read -r password
    if [ -x /usr/sbin/smbd ]; then
      id "$1" > /dev/null 2>&1 || useradd --no-create-home "$1"
      printf '%s\n%s\n' "$password" "$password" | smbpasswd -s -a "$1" > /dev/null
    else
      set_password_of_ksmbd "$1" "$password"
    fi
    ;;
  *) exit 2 ;;
esac

# shellcheck shell=bash
# The servers that tests/bench/run compares, which sources this after figures.sh: all answer
# v1.Filesystem/PathExists for the folder $work/tree, each on a socket of its own.
servers=(limit longshore isolated grpc)
mkdir -p "$work/tree/pod/volume"
# A process that is killed is started again without delay.
isolation='isolation = "process"
process.restart_max = 1000
process.restart_delay_max = "1ms"'
for name in longshore isolated; do
  mkdir "$work/$name"
  {
    agent_section "$work/$name"
    echo '[modules.filesystem]'
    [ "$name" = longshore ] || echo "$isolation"
    printf 'settings.allowed_roots = ["%s"]\n[modules.system]\n[modules.echo]\n' "$work/tree"
  } > "$work/$name/agent.toml"
done

socket_of_server() {
  case $1 in
    longshore | isolated) socket_of "$work/$1" ;;
    *) echo "$work/$1.sock" ;;
  esac
}

start() {
  local socket
  socket=$(socket_of_server "$1")
  case $1 in
    longshore | isolated) start_agent "$1" "$work/$1/agent.toml" "$socket" && return ;;
    limit) "$build/bin/limit_server" "$socket" & ;;
    grpc) "$build/bin/grpc_peer_server" --socket "$socket" > /dev/null & ;;
  esac
  started[$1]=$!
  until [ -S "$socket" ]; do kill -0 "${started[$1]}" || exit 1; done
}

client() {
  local name=$1
  shift
  "$build/bin/grpc_peer_client" --socket "$(socket_of_server "$name")" --path "$work/tree" \
    --server-pid "${started[$name]}" "$@"
}

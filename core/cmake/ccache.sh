#!/bin/sh
# ccache FOLDER COMPILER ARGUMENT...: one cache for all checkouts (FOLDER: this one), also of what includes a precompiled
# header. Precompiled headers themselves are never taken from the cache: one that was stored while its headers changed
# would be given out for good. No two are alike to the byte, so what includes one is known by the sum of what lies in it.
CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros
export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_PCH_EXTSUM CCACHE_SLOPPINESS
shift
before= header= dependencies=
for argument; do
  case $before$argument in
  -o*.gch | -o*.pch) header=$argument ;;
  -MF*) dependencies=$argument ;;
  esac
  before=$argument
done
[ "$header" ] || exec ccache "$@"
rm -f "$header" "$header.sum" # the older one would be read in place of its text
"$@" && sed 's/^[^:]*://; s/\\$//' "$dependencies" | xargs cat | sha256sum >"$header.sum"

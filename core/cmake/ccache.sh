#!/bin/sh
# ccache FOLDER COMPILER ARGUMENT...: one cache for all checkouts (FOLDER: this one), also of what includes a precompiled
# header. Where an older precompiled header lies at the place of the one to be made, ccache takes it for the text of the
# new one, and gives back what was once made from it: it is removed first.
CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_SLOPPINESS
shift
before=
for argument; do
  case $before$argument in -o*.gch | -o*.pch) rm -f "$argument" ;; esac
  before=$argument
done
exec ccache "$@"

package My::Suite::Basalt;
# The suite of the engine ROCKSDB (see README.md).

@ISA = qw(My::Suite);
use strict;

return "no ha_rocksdb.so in the plugin folder" unless $ENV{HA_ROCKSDB_SO};
return "needs a server process" if $::opt_embedded_server;

bless { };

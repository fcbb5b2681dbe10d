# A warning is an error in this suite.
options(warn = 2)
# Where TZ is unset, R asks systemd for the time zone, which may not be there.
if (Sys.getenv("TZ") == "") Sys.setenv(TZ = "UTC")

# Print the version of each package named on the command line after a tab, nothing if it is missing.
# Base R only: it runs before anything else is known to be there.
for (name in commandArgs(trailingOnly = TRUE)) {
  folder <- suppressWarnings(system.file(package = name))
  version <- if (nzchar(folder)) as.character(utils::packageVersion(name)) else ""
  cat(name, "\t", version, "\n", sep = "")
}

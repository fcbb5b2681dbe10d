# Rscript --vanilla call.R <request.json> <response.json>
paths <- commandArgs(trailingOnly = TRUE)
rside:::bridge_file(paths[[1]], paths[[2]])

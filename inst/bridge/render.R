# Render the report: Rscript render.R TEMPLATE OUTPUT PARAMS.json
# The template is copied to a folder of its own, since knitr writes beside it.
arguments <- commandArgs(trailingOnly = TRUE)
template <- file.path(tempfile("report"), "validate.Rmd")
dir.create(dirname(template))
stopifnot(file.copy(arguments[[1]], template))
rmarkdown::render(
  template,
  output_file = basename(arguments[[2]]),
  output_dir = dirname(arguments[[2]]),
  params = jsonlite::read_json(arguments[[3]], simplifyVector = TRUE),
  quiet = TRUE
)

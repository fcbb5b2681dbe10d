# Render the report: Rscript render.R TEMPLATE OUTPUT PREDICTIONS [AGREEMENT]
# The template is copied to a folder of its own, since knitr writes beside it.
arguments <- commandArgs(trailingOnly = TRUE)
template <- file.path(tempfile("report"), "validate.Rmd")
dir.create(dirname(template))
file.copy(arguments[[1]], template)
rmarkdown::render(
  template,
  output_file = basename(arguments[[2]]),
  output_dir = dirname(arguments[[2]]),
  params = list(
    predictions = arguments[[3]],
    agreement = if (length(arguments) > 3) arguments[[4]]
  ),
  quiet = TRUE
)

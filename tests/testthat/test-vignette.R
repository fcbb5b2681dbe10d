# The report as people make it: R alone, on an exported file.
report_of <- function(...) {
  given <- list(...)
  skip_on_cran()
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available("1.14"), "pandoc is not installed")
  source <- c(
    system.file("doc", "validate.Rmd", package = "rside"),
    test_path("..", "..", "vignettes", "validate.Rmd")
  )
  source <- source[file.exists(source)]
  skip_if(length(source) == 0, "the vignette is not at hand")
  folder <- tempfile()
  dir.create(folder)
  file.copy(source[1], folder)
  output <- rmarkdown::render(
    file.path(folder, "validate.Rmd"), params = given, quiet = TRUE, envir = new.env()
  )
  paste(readLines(output, encoding = "UTF-8"), collapse = "\n")
}

# Not expect_match(), which would print the whole report.
expect_holds <- function(html, text) expect_true(grepl(text, html, fixed = TRUE), info = text)

path_of <- function(name) normalizePath(fixture(name))

test_that("the report renders for two classes, by default for the sample", {
  html <- report_of()
  expect_holds(html, "preds.csv")
  expect_holds(html, "0.8767")
})

test_that("the report renders for odd class names and for one class", {
  html <- report_of(predictions = path_of("ok_odd_names.csv"))
  expect_holds(html, "two\\nlines")
  expect_holds(html, "hand_till")
  html <- report_of(predictions = path_of("ok_one_class_truth.csv"))
  expect_holds(html, "There is no curve: only class &#39;cat&#39; occurs in the truth")
})

test_that("the report shows both opinions where Python gave one", {
  agreement <- tempfile(fileext = ".json")
  jsonlite::write_json(
    list(
      rows = data.frame(
        metric = c("accuracy", "mcc"), estimator = "binary", class = NA, python = c(0.5, 0),
        r = c(0.5, NA), difference = c(0, NA), tolerance = 1e-9,
        verdict = c("agree", "differ by definition"), cause = c(NA, "a <cause>")
      ),
      python = list(`scikit-learn` = "1.9.1")
    ),
    agreement, auto_unbox = TRUE, na = "null"
  )
  html <- report_of(predictions = path_of("ok_one_class_truth.csv"), agreement = agreement)
  expect_holds(html, "Of 2 numbers: 1 agree; 1 differ by definition.")
  expect_holds(html, "a &lt;cause&gt;")
})

test_that("every table of the report follows from the parameters", {
  path <- tempfile(fileext = ".csv")
  writeLines(c(readLines(fixture("ok_no_sidecar.csv")), "img-9,,0.5,0.5"), path)
  html <- report_of(
    predictions = path, classes = c("dog", "cat"), positive = "dog", threshold = 0.7, na = "drop",
    conf_level = 0.5
  )
  # By hand: of 4 dogs 2 have a probability >= 0.7, and qbeta(c(1, 3) / 4, c(2, 3), c(3, 2)).
  expect_holds(html, "0.5000 [0.243, 0.757]")
  code <- gsub("<[^>]+>", "", html)
  expect_holds(code, "threshold = 0.7")
  expect_holds(code, "na = &quot;drop&quot;")
})

test_that("the registry is complete, and read the same by name", {
  registry <- metrics()
  expect_false(anyNA(registry[c("name", "title", "formula", "range", "direction", "undefined")]))
  expect_false(anyNA(registry[c("interval", "source")]))
  expect_false(anyDuplicated(registry$name) > 0)
  expect_setequal(registry$direction, c("higher", "lower", "none", "target 0", "target 1"))
  expect_identical(registry$range[registry$name == "log_loss"], "[0, Inf)")
  expect_identical(registry$range[registry$name == "calibration_slope"], "(-Inf, Inf)")
  expect_identical(metrics("mcc")$title, "Matthews correlation coefficient")
  expect_identical(metrics(c("npv", "mcc"))$name, c("npv", "mcc"))
})

test_that("every number of every function is in the registry, within its range", {
  path <- system.file("extdata", "preds.csv", package = "rside")
  p <- read_predictions(path)
  table <- as.data.frame(p)
  table$site <- rep(c("A", "B"), 100)
  several <- fixture("ok_multiclass.csv")
  rows <- list(
    validate(p)$metrics, validate(several)$metrics, confusion(p, prevalence = 0.1)$overall,
    confusion(several)$by_class, multiclass_auc(several)$values,
    pr_curve(p, replicates = 20)$values, partial_auc(p, replicates = 20)$values,
    roc_band(p, replicates = 20)$values, calibration(p, replicates = 20)$values,
    calibration(several, replicates = 20)$values, operating_points(p, replicates = 20)$values,
    compare_models(p, p)$differences, slices(table, "site", positive = "dog")$values
  )
  registry <- jsonlite::read_json(system.file("metrics.json", package = "rside"))
  names(registry) <- vapply(registry, `[[`, "", "name")
  reported <- unique(unlist(lapply(rows, `[[`, "metric")))
  expect_setequal(names(registry), reported)
  for (part in rows[-12]) {
    least <- vapply(part$metric, function(name) registry[[name]]$range[[1]] %||% -Inf, 0)
    greatest <- vapply(part$metric, function(name) registry[[name]]$range[[2]] %||% Inf, 0)
    for (end in c("estimate", "lower", "upper")) {
      inside <- is.na(part[[end]]) | (part[[end]] >= least & part[[end]] <= greatest)
      expect_true(all(inside), info = paste(part$metric[!inside], end))
    }
  }
})

test_that("an unknown name is refused, with the nearest", {
  refusal <- expect_error(metrics("brier"), class = "rside_error_argument")
  expect_match(conditionMessage(refusal), "'brier_score'", fixed = TRUE)
  expect_match(
    conditionMessage(expect_error(metrics("recall_score"), class = "rside_error_argument")),
    "'sensitivity'", fixed = TRUE
  )
  expect_error(metrics(1), class = "rside_error_argument")
})

test_that("the registry prints within 80 columns, one entry or all", {
  out <- capture.output(print(metrics()))
  expect_lte(max(nchar(out)), 80)
  expect_match(out, "elsewhere: scikit-learn: ", all = FALSE, fixed = TRUE)
  expect_output(print(metrics("brier_score")), "lower is better")
  expect_s3_class(metrics()["name"], "data.frame", exact = TRUE)
})

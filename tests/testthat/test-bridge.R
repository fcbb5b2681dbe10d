table <- function() {
  data.frame(
    true_label = factor(c("a", "b", "b", "a")), pred_prob_a = c(0.75, 0.25, 0.5, 0.5),
    pred_prob_b = c(0.25, 0.75, 0.5, 0.5)
  )
}

is_plain <- function(x) {
  if (is.data.frame(x)) {
    return(identical(class(x), "data.frame") && all(vapply(x, is_plain, NA)))
  }
  if (is.list(x)) {
    return(!is.object(x) && all(vapply(x, is_plain, NA)))
  }
  is.null(x) || is.factor(x) || !is.object(x) && is.null(dim(x))
}

test_that("every function answers with a plain payload", {
  for (name in bridge_functions) {
    options <- list(table = list(classes = c("a", "b"), positive = "b"))
    if (name != "multiclass_auc") options$args <- list(conf_level = 0.9)
    answer <- bridge_call(name, table(), options)
    expect_true(answer$ok)
    expect_true(is_plain(answer$value))
    expect_identical(answer$warnings, character())
    expect_identical(answer$messages, character())
  }
})

test_that("a payload holds what the function returns", {
  answer <- bridge_call("validate", table(), list(table = list(positive = "a")))$value
  report <- validate(as_predictions(table(), positive = "a"))
  expect_identical(answer$metrics, report$metrics)
  expect_identical(answer$notes, report$notes)
  expect_identical(answer$confusion$n, as.integer(report$confusion))
  expect_identical(answer$roc$auc, report$roc$auc)
  expect_identical(answer$versions$rside, report$versions[["rside"]])
})

test_that("an error comes back in the envelope, whole", {
  bad <- table()
  bad$pred_prob_a[3] <- NA
  answer <- bridge_call("validate", bad)
  expect_false(answer$ok)
  expect_identical(answer$check, "missing_value")
  expect_identical(answer$class[1:3], c(
    "rside_error_missing_value", "rside_error_contract", "rside_error"
  ))
  expect_match(answer$message, "'pred_prob_a' has no value in row 3", fixed = TRUE)
  expect_match(answer$message, "na = \"drop\"", fixed = TRUE)
  expect_identical(answer$traceback[1], "as_predictions(data)")
  expect_false(any(grepl("bridge", answer$traceback)))
  expect_true(all(nchar(answer$traceback) < 200))
  expect_identical(bridge_call("system", table())$class[1], "rside_error_argument")
  expect_identical(bridge_call(1, table())$class[1], "rside_error_argument")
  unused <- bridge_call("validate", table(), list(args = list(nonsense = 1)))
  expect_false(unused$ok)
  expect_null(unused$check)
  expect_match(unused$message, "unused argument")
})

test_that("nothing is printed, and conditions are collected", {
  expect_silent(bridge_call("validate", table()))
  expect_silent(bridge_call("roc_curve", list()))
})

test_that("a long curve is thinned, and keeps its ends and its area", {
  n <- 20000
  set.seed(5)
  truth <- sample(c("a", "b"), n, replace = TRUE)
  score <- plogis(rnorm(n, ifelse(truth == "b", 1, -1)))
  roc <- roc_curve(binary(truth, score, c("a", "b")))
  thin <- payload(roc)$curve
  expect_lte(nrow(thin), 1000)
  expect_identical(thin[1, ], roc$curve[1, ])
  last <- function(frame) unlist(frame[nrow(frame), ])
  expect_identical(last(thin), last(roc$curve))
  x <- 1 - thin$specificity
  area <- sum(diff(x) * (head(thin$sensitivity, -1) + thin$sensitivity[-1]) / 2)
  expect_equal(area, roc$auc, tolerance = 1e-3)
})

test_that("values are encoded exactly and by type", {
  json <- function(x) as.character(as_json(encode(x)))
  expect_identical(json(NULL), "{\"type\":\"null\"}")
  expect_identical(json(NA), "{\"type\":\"logical\",\"values\":[null]}")
  expect_identical(json(c(1L, NA)), "{\"type\":\"integer\",\"values\":[1,null]}")
  expect_identical(
    json(c(0.1, NA, NaN, Inf, -Inf)),
    "{\"type\":\"double\",\"values\":[\"0.10000000000000001\",\"NA\",\"NaN\",\"Inf\",\"-Inf\"]}"
  )
  expect_identical(
    json(c(a = "x", b = NA)),
    "{\"type\":\"character\",\"values\":[\"x\",null],\"names\":[\"a\",\"b\"]}"
  )
  expect_identical(json("NA"), "{\"type\":\"character\",\"values\":[\"NA\"]}")
  expect_identical(json(character()), "{\"type\":\"character\",\"values\":[]}")
  expect_identical(
    json(factor(c("b", NA), levels = c("b", "a"))),
    "{\"type\":\"factor\",\"levels\":[\"b\",\"a\"],\"codes\":[1,null]}"
  )
  expect_identical(
    json(list(1L, a = NULL)),
    paste0(
      "{\"type\":\"list\",\"values\":[{\"type\":\"integer\",\"values\":[1]},",
      "{\"type\":\"null\"}],\"names\":[\"\",\"a\"]}"
    )
  )
  expect_identical(json(list()), "{\"type\":\"list\",\"values\":[]}")
  expect_identical(
    json(data.frame(x = 1:2, y = c("a", NA))),
    paste0(
      "{\"type\":\"data.frame\",\"rows\":2,\"names\":[\"x\",\"y\"],\"columns\":[",
      "{\"type\":\"integer\",\"values\":[1,2]},{\"type\":\"character\",\"values\":[\"a\",null]}]}"
    )
  )
  expect_error(encode(Sys.Date()), class = "rside_error_argument")
  expect_error(encode(matrix(1:4, 2)), class = "rside_error_argument")
  expect_error(encode(mean), class = "rside_error_argument")
})

test_that("the file form answers as the call does", {
  request <- tempfile(fileext = ".json")
  response <- tempfile(fileext = ".json")
  ask <- function(...) {
    writeLines(jsonlite::toJSON(list(...), auto_unbox = TRUE, null = "null", digits = NA), request)
    bridge_file(request, response)
    jsonlite::read_json(response)
  }
  path <- normalizePath(fixture("ok_odd_names.csv"))
  answer <- ask(
    `function` = "validate", csv = path,
    options = list(table = list(positive = NULL, na = "drop"), args = list(conf_level = 0.9))
  )
  expect_identical(unlist(answer$names), c("ok", "value", "warnings", "messages"))
  value <- bridge_call(
    "validate", NULL, list(path = path, table = list(na = "drop"), args = list(conf_level = 0.9))
  )
  expect_identical(answer, jsonlite::parse_json(as_json(encode(value))))
  bad <- normalizePath(fixture("bad_nan.csv"))
  refused <- ask(`function` = "validate", csv = bad, options = NULL)
  expect_identical(refused$values[[3]]$values, list("missing_value"))
  writeLines("not JSON", request)
  bridge_file(request, response)
  expect_identical(jsonlite::read_json(response)$values[[1]]$values, list(FALSE))
})

test_that("the script runs in a process of its own", {
  skip_on_cran()
  script <- system.file("bridge", "call.R", package = "rside")
  skip_if(basename(dirname(dirname(script))) == "inst", "rside is not installed")
  request <- tempfile(fileext = ".json")
  response <- tempfile(fileext = ".json")
  path <- normalizePath(fixture("ok_binary.csv"))
  writeLines(jsonlite::toJSON(list(`function` = "auc_ci", csv = path), auto_unbox = TRUE), request)
  status <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(c(script, request, response))),
    env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  )
  expect_identical(status, 0L)
  expect_identical(jsonlite::read_json(response)$values[[1]]$values, list(TRUE))
})

test_that("an error that uses up the stack is an error, and code among the options is refused", {
  table <- data.frame(
    true_label = c("a", "b"), pred_prob_a = c(0.75, 0.25), pred_prob_b = c(0.25, 0.75)
  )
  touched <- tempfile()
  options <- list(args = list(conf_level = call("file.create", touched)))
  envelope <- rside:::bridge_call("validate", table, options)
  expect_false(envelope$ok)
  expect_false(file.exists(touched))

  registerS3method("as.character", "endless", function(x, ...) as.character(x, ...))
  table$group <- structure(1:2, class = "endless")
  expect_false(suppressWarnings(rside:::bridge_call("validate", table)$ok))
})

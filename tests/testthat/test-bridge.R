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

# As pyside/bridge/request.py writes it.
request <- function(name, ..., stated = list(), csv = NULL, methods = FALSE) {
  takes <- bridge_functions[[name]]
  one <- list(csv = csv, stated = stated, dropped = 0, source = NULL)
  tables <- stats::setNames(rep(list(one), length(takes)), takes)
  as.character(as_json(list(
    `function` = name, tables = tables, arguments = list(...), methods = methods
  )))
}

ask <- function(name, data, ...) {
  takes <- bridge_functions[[name]]
  bridge_call(request(name, ...), stats::setNames(rep(list(data), length(takes)), takes))
}

arguments_for <- function(name) {
  c(
    if (!name %in% c("metrics", "validate")) list(conf_level = 0.9),
    if (name == "slices") list(by = "site"),
    if ("replicates" %in% names(formals(name))) list(replicates = 20)
  )
}

test_that("every function, and its methods text, answers with a plain payload", {
  for (name in names(bridge_functions)) {
    data <- cbind(table(), site = c("x", "y", "x", "y"))
    for (methods in c(FALSE, name != "metrics")) {
      answer <- do.call(ask, c(
        list(name, data, stated = list(classes = c("a", "b"), positive = "b"), methods = methods),
        arguments_for(name)
      ))
      expect_true(answer$ok, label = name)
      expect_true(is_plain(answer$value), label = name)
      expect_identical(answer$warnings, character())
      expect_identical(answer$messages, character())
    }
  }
})

test_that("every function that gives numbers crosses the bridge", {
  elsewhere <- c(
    "as_predictions", "read_predictions", "write_predictions", "autoplot", "plot_scores", "tidy",
    "glance", "methods_text"
  )
  expect_setequal(names(bridge_functions), setdiff(getNamespaceExports("rside"), elsewhere))
})

test_that("a methods text crosses with its references", {
  answer <- ask("auc_ci", table(), methods = TRUE)$value
  expected <- methods_text(auc_ci(table()))
  expect_identical(answer$text, expected$text)
  expect_identical(answer$marked, expected$marked)
  expect_length(answer$references, length(expected$references))
  expect_match(answer$bibtex, "^@Article\\{[a-z]+[0-9]{4},\n")
})

test_that("what Python knows of a table is told", {
  asked <- jsonlite::parse_json(request("validate"))
  asked$tables$predictions$dropped <- 3L
  asked$tables$predictions$source <- list(path = "a/b.csv", sha256 = "abc")
  told <- function(methods) {
    asked$methods <- methods
    bridge_call(as.character(as_json(asked)), list(predictions = table()))$value
  }
  expect_identical(as.numeric(told(FALSE)$dropped), 3)
  expect_true("rows_dropped" %in% told(FALSE)$notes$code)
  text <- told(TRUE)$text
  expect_match(text, "3 rows with a missing label or probability left out.", fixed = TRUE)
  expect_match(text, "The file b.csv has the SHA-256 digest abc.", fixed = TRUE)
})

test_that("arguments arrive by type", {
  arrives <- function(json) argument_of(jsonlite::parse_json(json))
  expect_identical(arrives("null"), NULL)
  expect_identical(arrives("true"), TRUE)
  expect_identical(arrives("1"), 1L)
  expect_identical(arrives("0.1"), 0.1)
  expect_identical(arrives("{\"number\": \"inf\"}"), Inf)
  expect_identical(arrives("{\"number\": \"nan\"}"), NaN)
  expect_identical(arrives("[0.5, {\"number\": \"-inf\"}]"), c(0.5, -Inf))
  expect_identical(arrives("[\"NA\", \"Inf\"]"), c("NA", "Inf"))
  expect_identical(arrives("[]"), NULL)
  expect_identical(arrives("[\"a\", [\"a\", \"b\"]]"), list("a", c("a", "b")))
})

test_that("a payload holds what the function returns", {
  answer <- ask("validate", table(), stated = list(positive = "a"))$value
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
  answer <- ask("validate", bad)
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
  for (wrong in c("{\"function\": \"system\"}", "{\"function\": 1}", "{}", request("metrics"))) {
    wrong <- sub("\"metrics\"", "\"validate\"", wrong)
    expect_identical(bridge_call(wrong)$class[1], "rside_error_argument")
  }
  unused <- ask("validate", table(), nonsense = 1)
  expect_false(unused$ok)
  expect_null(unused$check)
  expect_match(unused$message, "unused argument")
})

test_that("nothing is printed, and conditions are collected", {
  expect_silent(ask("validate", table()))
  expect_silent(ask("roc_curve", list()))
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
    "{\"type\":\"factor\",\"levels\":[\"b\",\"a\"],\"codes\":[1,null],\"ordered\":false}"
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
  expect_identical(
    json(as.Date(c("1970-01-02", NA))), "{\"type\":\"date\",\"values\":[\"1\",\"NA\"]}"
  )
  expect_identical(
    json(matrix(1:4, 2)), "{\"type\":\"integer\",\"values\":[1,2,3,4],\"dim\":[2,2]}"
  )
  # The bits of a bit64 integer, as R holds them in a double.
  five <- readBin(as.raw(c(rep(0, 7), 5)), "double", endian = "big")
  expect_identical(
    json(structure(five, class = "integer64")),
    "{\"type\":\"integer64\",\"values\":[\"0000000000000005\"]}"
  )
  expect_error(encode(structure(array(1, 1), class = "Date")), class = "rside_error_argument")
  expect_error(encode(structure(1, class = "other")), class = "rside_error_argument")
  expect_error(encode(1i), class = "rside_error_argument")
  expect_error(encode(mean), class = "rside_error_argument")
})

test_that("the file form answers as the call does", {
  from <- tempfile(fileext = ".json")
  response <- tempfile(fileext = ".json")
  answer_to <- function(text) {
    writeLines(text, from, useBytes = TRUE)
    bridge_file(from, response)
    jsonlite::read_json(response)
  }
  asked <- request(
    "validate", conf_level = 0.9, csv = normalizePath(fixture("ok_odd_names.csv")),
    stated = list(na = "drop")
  )
  answer <- answer_to(asked)
  expect_identical(unlist(answer$names), c("ok", "value", "warnings", "messages"))
  expect_identical(answer, jsonlite::parse_json(as_json(encode(bridge_call(asked)))))
  refused <- answer_to(request("validate", csv = normalizePath(fixture("bad_nan.csv"))))
  expect_identical(refused$values[[3]]$values, list("missing_value"))
  expect_identical(answer_to("not JSON")$values[[1]]$values, list(FALSE))
})

test_that("the script runs in a process of its own", {
  skip_on_cran()
  script <- system.file("bridge", "call.R", package = "rside")
  skip_if(basename(dirname(dirname(script))) == "inst", "rside is not installed")
  from <- tempfile(fileext = ".json")
  response <- tempfile(fileext = ".json")
  writeLines(request("auc_ci", csv = normalizePath(fixture("ok_binary.csv"))), from)
  status <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(c(script, from, response))),
    env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  )
  expect_identical(status, 0L)
  expect_identical(jsonlite::read_json(response)$values[[1]]$values, list(TRUE))
})

test_that("an error that uses up the stack is an error, and code among the arguments is text", {
  touched <- tempfile()
  envelope <- ask("validate", table(), conf_level = paste0("file.create(\"", touched, "\")"))
  expect_false(envelope$ok)
  expect_false(file.exists(touched))

  registerS3method("as.character", "endless", function(x, ...) as.character(x, ...))
  data <- cbind(table(), group = 1:4)
  data$group <- structure(1:4, class = "endless")
  expect_false(suppressWarnings(ask("validate", data)$ok))
})

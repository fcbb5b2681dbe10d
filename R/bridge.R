# What Python calls: one dispatcher, one envelope, one encoding.

bridge_functions <- c("validate", "confusion", "roc_curve", "auc_ci", "multiclass_auc")

# In process: `data` is a data frame, or NULL where `options$path` names a CSV.
# `options$table` holds arguments of as_predictions() or read_predictions(),
# `options$args` those of the function. An error never leaves this function.
bridge_call <- function(name, data, options = list()) {
  warnings <- messages <- character()
  failure <- NULL
  value <- withCallingHandlers(
    tryCatch(
      withCallingHandlers(
        bridge_dispatch(name, data, options),
        error = function(e) {
          calls <- sys.calls()
          failure <<- failure_of(e, calls)
        }
      ),
      # The handler above gives the traceback, but not where the stack itself is used up.
      error = function(e) if (is.null(failure)) failure <<- failure_of(e, list())
    ),
    warning = function(w) {
      warnings <<- c(warnings, plain_message(w))
      tryInvokeRestart("muffleWarning")
    },
    message = function(m) {
      messages <<- c(messages, plain_message(m))
      tryInvokeRestart("muffleMessage")
    }
  )
  if (is.null(failure)) {
    list(ok = TRUE, value = value, warnings = warnings, messages = messages)
  } else {
    failure
  }
}

bridge_dispatch <- function(name, data, options) {
  if (!is_text(name) || !name %in% bridge_functions) {
    refuse_argument("Not a function of the bridge.", paste0("'", name, "' was asked for."))
  }
  if (!is_plain(options)) refuse_argument("The options of a call must be plain values.")
  # The calls are built of names, so that no call holds the data.
  source <- if (is.null(data)) {
    list(quote(read_predictions), options$path)
  } else {
    list(quote(as_predictions), quote(data))
  }
  predictions <- eval(as.call(c(source, options$table)))
  result <- eval(as.call(c(as.name(name), quote(predictions), options$args)))
  payload(result)
}

# Stands in for quit() where R shares a process with Python.
no_quit <- function(...) {
  refuse_argument(
    "R shares this process with Python: quit() would end both.",
    fix = "End the Python process instead."
  )
}

is_plain <- function(x) {
  is.null(x) || is.atomic(x) || (is.list(x) && all(vapply(x, is_plain, NA)))
}

# A subprocess: the CSV is named in the request, the envelope is the response.
bridge_file <- function(request_path, response_path) {
  envelope <- tryCatch(
    {
      request <- jsonlite::read_json(request_path, simplifyVector = TRUE)
      options <- c(list(path = request$csv), request$options)
      bridge_call(request$`function`, NULL, options)
    },
    error = function(e) failure_of(e, list())
  )
  json <- write_temporary(as_json(encode(envelope)), response_path)
  replace_file(json, response_path)
}

failure_of <- function(e, calls) {
  call <- conditionCall(e)
  list(
    ok = FALSE, class = class(e), check = e$check, package = e$package,
    message = plain_message(e),
    call = if (!is.null(call)) one_line(call),
    traceback = vapply(own_calls(calls), one_line, "", USE.NAMES = FALSE)
  )
}

# From the function that was asked for to the one that failed.
own_calls <- function(calls) {
  names <- vapply(calls, function(call) if (is.name(call[[1]])) as.character(call[[1]]) else "", "")
  start <- match("bridge_dispatch", names, 0)
  signalling <- c(
    "stop", "raise", "refuse", "refuse_argument", "h", ".handleSimpleError", "eval", ""
  )
  calls[seq_along(calls) > start & !names %in% signalling]
}

one_line <- function(call) {
  line <- deparse(call, width.cutoff = 100L, nlines = 2L)
  if (length(line) > 1) paste(trimws(line[[1]]), "...") else line
}

plain_message <- function(condition) {
  enc2utf8(sub("\n$", "", cli::ansi_strip(conditionMessage(condition))))
}

# --- payloads: lists, data frames and vectors, without classes of our own ----

payload <- function(x) UseMethod("payload")

#' @export
payload.rside_confusion <- function(x) {
  list(
    counts = counts_frame(x$table), classes = rownames(x$table), overall = x$overall,
    by_class = x$by_class, positive = x$positive, n = x$n, conf_level = x$conf_level
  )
}

#' @export
payload.rside_roc <- function(x) {
  x$curve <- thinned(x$curve)
  x$counts <- as.list(x$counts)
  unclass(x)
}

#' @export
payload.rside_auc <- function(x) {
  x$counts <- as.list(x$counts)
  unclass(x)
}

#' @export
payload.rside_multiclass_auc <- payload.rside_auc

#' @export
payload.rside_validation <- function(x) {
  x$confusion <- counts_frame(x$confusion)
  if (!is.null(x$roc)) x$roc <- payload(x$roc)
  x$versions <- as.list(x$versions)
  unclass(x)
}

# Enough points for a picture: the corners of the curve, evenly spread, and both ends.
thinned <- function(curve, points = 1000) {
  n <- nrow(curve)
  if (n <= points) {
    return(curve)
  }
  inner <- 2:(n - 1)
  up <- diff(curve$sensitivity) > 0
  right <- diff(curve$specificity) < 0
  turns <- inner[up[-1] != up[-(n - 1)] | right[-1] != right[-(n - 1)]]
  kept <- unique(c(1, turns, n))
  if (length(kept) > points) {
    kept <- kept[unique(round(seq(1, length(kept), length.out = points)))]
  }
  thin <- curve[kept, ]
  rownames(thin) <- NULL
  thin
}

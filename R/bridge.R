# What Python calls: one dispatcher, one envelope.

# Each with the names of the tables that it takes.
bridge_functions <- list(
  validate = "predictions", confusion = "predictions", roc_curve = "predictions",
  auc_ci = "predictions", multiclass_auc = "predictions", calibration = "predictions",
  compare_models = c("a", "b"), operating_points = "predictions", partial_auc = "predictions",
  pr_curve = "predictions", roc_band = "predictions", slices = "predictions",
  metrics = character()
)

# `request` is the JSON text that pyside/bridge/request.py writes. `frames` holds its tables as data
# frames, by name; without them they are in the CSV files that the request names. An error never
# leaves this function.
bridge_call <- function(request, frames = list()) {
  warnings <- messages <- character()
  failure <- NULL
  value <- withCallingHandlers(
    tryCatch(
      withCallingHandlers(
        bridge_dispatch(jsonlite::parse_json(request), frames),
        error = function(e) {
          calls <- sys.calls()
          failure <<- failure_of(e, calls)
        }
      ),
      # The handler above gives the traceback, but not where the stack itself is used up.
      error = function(e) if (is.null(failure)) failure <<- failure_of(e, list()),
      interrupt = function(e) failure <<- list(ok = FALSE, interrupted = TRUE)
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

# JSON holds plain values only, and the calls are built of names: no call holds code or the data.
bridge_dispatch <- function(request, frames) {
  name <- request$`function`
  if (!is_text(name) || !name %in% names(bridge_functions)) {
    refuse_argument("Not a function of the bridge.", paste("Asked for:", list_values(name)))
  }
  takes <- bridge_functions[[name]]
  if (!identical(as.character(names(request$tables)), takes)) {
    refuse_argument(paste0("The tables of ", name, "() must be: ", list_values(takes), "."))
  }
  tables <- new.env()
  for (table in takes) {
    tables[[table]] <- bridge_table(request$tables[[table]], frames[[table]])
  }
  arguments <- lapply(request$arguments, argument_of)
  result <- eval(as.call(c(as.name(name), lapply(takes, as.name), arguments)), tables)
  payload(if (isTRUE(request$methods)) methods_text(result) else result)
}

# `stated` holds arguments of as_predictions() and read_predictions(); `dropped` and `source` are
# what Python knows of the table besides.
bridge_table <- function(table, data) {
  source <- if (is.null(data)) {
    list(quote(read_predictions), table$csv)
  } else {
    list(quote(as_predictions), quote(data))
  }
  predictions <- eval(as.call(c(source, lapply(table$stated, argument_of))))
  attr(predictions, "rside")[c("dropped", "source")] <- list(table$dropped, table$source)
  predictions
}

# An array is a vector, as by c(), or a list where it holds arrays; what JSON has no number for is
# an object.
argument_of <- function(x) {
  if (!is.list(x)) {
    return(x)
  }
  if (!is.null(names(x))) {
    return(as.numeric(x$number))
  }
  items <- lapply(x, argument_of)
  is_array <- vapply(x, function(item) is.list(item) && is.null(names(item)), NA)
  if (any(is_array)) items else unlist(items)
}

# Stands in for quit() where R shares a process with Python.
no_quit <- function(...) {
  refuse_argument(
    "R shares this process with Python: quit() would end both.",
    fix = "End the Python process instead."
  )
}

# A subprocess: the request is a file that names CSV files, the envelope is the response.
bridge_file <- function(request_path, response_path) {
  request <- paste(readLines(request_path, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  json <- write_temporary(as_json(encode(bridge_call(request))), response_path)
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
    "stop", "raise", "refuse", "refuse_argument", "h", ".handleSimpleError", "eval",
    "bridge_table", ""
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

# R values as exact, typed JSON: what pyside/bridge/encoding.py reads. What both backends give from
# it is the same, so what the conversion of the embedded one refuses is refused here, too.

encode <- function(x) {
  if (is.null(x)) {
    return(typed("null"))
  }
  if (is.data.frame(x)) {
    return(encode_frame(x))
  }
  class <- setdiff(attr(x, "class"), "AsIs")
  encoded <- if (!typeof(x) %in% encodable) NULL else encode_values(x, paste(class, collapse = " "))
  if (is.null(encoded)) {
    refuse_argument("Only plain values cross the bridge.", paste("Found", list_values(class(x))))
  }
  c(encoded, encoded_shape(x))
}

encodable <- c("list", "logical", "integer", "double", "character")

typed <- function(type, ...) list(type = type, ...)

# By class; NULL for one without a counterpart.
encode_values <- function(x, class) {
  if (is.list(x)) {
    return(if (class == "") typed("list", values = lapply(unname(unclass(x)), encode)))
  }
  number <- is.numeric(unclass(x))
  switch(class,
    "factor" = ,
    "ordered factor" = if (is.integer(unclass(x))) encode_factor(x),
    "Date" = if (number) typed("date", values = encoded_doubles(x)),
    "POSIXct POSIXt" = if (number) {
      typed("posixct", values = encoded_doubles(x), zone = encoded_zone(x))
    },
    "difftime" = if (number) {
      typed("difftime", values = encoded_doubles(x), units = attr(x, "units"))
    },
    "integer64" = if (is.double(x)) typed("integer64", values = encoded_bits(x)),
    if (class == "") typed(typeof(x), values = encoded_plain(x))
  )
}

encode_factor <- function(x) {
  typed(
    "factor",
    levels = I(encoded_text(attr(x, "levels"))), codes = I(as.integer(x)), ordered = is.ordered(x)
  )
}

encode_frame <- function(x) {
  columns <- lapply(unname(as.list(x)), encode)
  names <- I(encoded_text(names(x)))
  encoded <- typed("data.frame", rows = nrow(x), names = names, columns = columns)
  row_names <- attr(x, "row.names")
  if (.row_names_info(x, 1L) > 0) {
    encoded$row_names <- I(if (is.character(row_names)) encoded_text(row_names) else row_names)
  }
  encoded
}

# Dimensions and names.
encoded_shape <- function(x) {
  if (is.null(dim(x))) {
    return(if (!is.null(names(x))) list(names = I(encoded_text(names(x)))))
  }
  if (is.object(x) || is.list(x)) {
    refuse_argument("Only plain matrices cross the bridge.", paste("Found", list_values(class(x))))
  }
  names <- lapply(unname(dimnames(x)), function(part) if (!is.null(part)) I(encoded_text(part)))
  c(list(dim = I(dim(x))), if (length(names)) list(dimnames = names))
}

encoded_plain <- function(x) {
  x <- as.vector(unclass(x))
  switch(typeof(x),
    double = encoded_doubles(x),
    character = I(encoded_text(x)),
    I(unname(x))
  )
}

# 17 digits tell any two doubles apart.
encoded_doubles <- function(x) {
  x <- as.double(unclass(x))
  I(ifelse(is.na(x) & !is.nan(x), "NA", sprintf("%.17g", x)))
}

# The 64 bits as 16 hexadecimal digits: as doubles they have no text of their own.
encoded_bits <- function(x) {
  bytes <- matrix(as.character(writeBin(as.double(unclass(x)), raw(), endian = "big")), nrow = 8)
  I(apply(bytes, 2, paste, collapse = ""))
}

encoded_zone <- function(x) {
  zone <- attr(x, "tzone")
  if (length(zone)) zone[[1]] else ""
}

# R itself would write the bytes of a broken text out, as "<ff>".
encoded_text <- function(x) {
  text <- as.character(unname(x))
  encoding <- Encoding(text)
  wrong <- which(encoding == "bytes" | !(encoding == "latin1" | validUTF8(text)))
  if (length(wrong)) {
    refuse_argument(
      "Text that crosses the bridge must be text.", paste("Found bytes in", list_rows(wrong)),
      "Say what they are: Encoding(x) <- \"latin1\"."
    )
  }
  enc2utf8(text)
}

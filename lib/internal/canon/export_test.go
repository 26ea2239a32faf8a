package canon

// IsCanonical lets the tests hold the short way of Transform against the library.
var IsCanonical = isCanonical

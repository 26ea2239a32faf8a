package cli

const nonblock = 0

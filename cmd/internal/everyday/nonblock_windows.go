package everyday

const nonblock = 0

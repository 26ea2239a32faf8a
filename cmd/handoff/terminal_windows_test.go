package main

func typed() { panic("there is no terminal") }

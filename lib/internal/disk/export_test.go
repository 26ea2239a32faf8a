package disk

// OwnMachineID is ownMachineID, which a machine with an id never needs.
var OwnMachineID = ownMachineID

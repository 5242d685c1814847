part_crowd() { :; }

module example.com/path_exists

go 1.19

require example.com/longshore v0.0.0

replace example.com/longshore => ../../go

module example.com/longshore

go 1.19

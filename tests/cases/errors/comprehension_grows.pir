A = [[[[j for j in range(1000)] for i in range(1000)] for k in range(1000)] for l in range(1000)]

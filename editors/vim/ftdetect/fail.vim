" FAIL fault scenarios
autocmd BufNewFile,BufRead *.fail setfiletype fail

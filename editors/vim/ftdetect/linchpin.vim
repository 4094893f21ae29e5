autocmd BufNewFile,BufRead *.lin setfiletype lin
autocmd BufNewFile,BufRead *.csp setfiletype csp

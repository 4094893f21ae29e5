-- A session in Neovim, headless: PROGRAM and FOLDER in the environment. What is seen is written to seen.json in the folder.
local program, folder = vim.env.PROGRAM, vim.env.FOLDER
local patience = 240000 -- milliseconds, until something that is sure to happen
local seen = {}

local function finish()
  local file = assert(io.open(folder .. "/seen.json", "w"))
  file:write(vim.json.encode(seen))
  file:close()
end

local function await(what, condition)
  if not vim.wait(patience, condition, 5) then
    seen.failed = what
    finish()
    vim.cmd("cquit")
  end
end

local function attach()
  local id = vim.lsp.start_client({ name = "linchpin", cmd = { program, "lsp" } })
  vim.lsp.buf_attach_client(0, id)
  await("server", function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized
  end)
  return id
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, patience)
  return vim.tbl_values(answers)[1].result
end

local function colours(language)
  local tree = vim.treesitter.get_parser(0, language):parse()[1]
  local query = vim.treesitter.query.get_query(language, "highlights")
  local found = {}
  for id, node in query:iter_captures(tree:root(), 0, 0, -1) do
    found[vim.treesitter.query.get_node_text(node, 0)] = query.captures[id]
  end
  return found
end

vim.cmd("edit " .. folder .. "/model.lin")
seen.filetype = vim.bo.filetype
seen.colours = colours("lin")
local id = attach()

-- something wrong, while it is typed
vim.api.nvim_buf_set_lines(0, 1, 2, false, { "    shared int top = tip;" })
await("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
seen.diagnostic = vim.diagnostic.get(0)[1].message
vim.api.nvim_buf_set_lines(0, 1, 2, false, { "    shared int top = 0;" })
await("no diagnostics", function() return #vim.diagnostic.get(0) == 0 end)

vim.api.nvim_win_set_cursor(0, { 2, 15 })
seen.hover = request("textDocument/hover", vim.lsp.util.make_position_params()).contents.value

vim.lsp.buf.rename("height")
await("rename", function() return text():find("height", 1, true) end)
seen.renamed = text()

vim.api.nvim_win_set_cursor(0, { 3, 24 })
seen.definition = request("textDocument/definition", vim.lsp.util.make_position_params())

vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), 0 })
local function lenses()
  local found = {}
  for _, lens in ipairs(request("textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params() })) do
    table.insert(found, lens.command.title)
  end
  return found
end
seen.lenses = lenses()
vim.lsp.codelens.refresh()
await("lenses", function() return #vim.lsp.codelens.get(0) > 0 end)
vim.lsp.codelens.run()
await("verdict", function() return #lenses() > 1 end)
seen.decided = lenses()

vim.cmd("edit! " .. folder .. "/model.csp")
seen.csp_filetype = vim.bo.filetype
seen.csp_colours = colours("csp")

vim.lsp.stop_client(id)
await("end", function() return not vim.lsp.get_client_by_id(id) or vim.lsp.get_client_by_id(id).is_stopped() end)
finish()
vim.cmd("qall!")

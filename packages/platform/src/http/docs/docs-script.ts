/** The script of /docs. It runs in browsers, so it is a string here. It inserts API texts as text nodes, never as HTML. */
export const DOCS_SCRIPT = String.raw`
'use strict'
const MAX_SHOWN = 200000
const byId = (id) => document.getElementById(id)
const pretty = (value) => JSON.stringify(value, null, 2)
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function start(api) {
  const resolve = (schema) =>
    schema && schema.$ref ? resolve(schema.$ref.replace('#/', '').split('/').reduce((at, step) => at[step], api)) : schema || {}

  function exampleOf(schema, depth = 0) {
    const found = resolve(schema)
    const given = found.example ?? found.const ?? (found.enum || [])[0]
    if (given !== undefined) return given
    const other = (found.anyOf || found.oneOf || [])[0]
    if (other) return exampleOf(other, depth)
    const type = [found.type].flat()[0]
    if (type === 'array') return depth > 4 ? [] : [exampleOf(found.items, depth + 1)]
    if (type !== 'object') return { string: '', integer: 0, number: 0, boolean: false }[type] ?? null
    const names = depth > 4 ? [] : found.required || []
    return Object.fromEntries(names.map((name) => [name, exampleOf((found.properties || {})[name], depth + 1)]))
  }

  function schemaView(title, schema) {
    const names = Object.keys(api.components.schemas)
    const used = new Set()
    const written = (text) => text.replace(/"#\/components\/schemas\/(\w+)"/g, (_, name) => (used.add(name), '"' + name + '"'))
    const texts = [written(pretty(schema))]
    for (const name of used) texts.push(name + ' ' + written(pretty(api.components.schemas[name])))
    return element('details', {}, element('summary', { textContent: title }), element('pre', { textContent: texts.join('\n\n') }))
  }

  function keepTokens(path, body) {
    const token = body.access_token || (body.token || {}).access_token
    if (path.endsWith('/auth/login') || path.endsWith('/auth/register')) byId('UserToken').value = token
    if (path.endsWith('/auth/session')) byId('SessionToken').value = token
  }

  async function send(method, path, operation, fields, out, signal) {
    const url = new URL(path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fields.path[name] || '')), location.origin)
    for (const [name, value] of Object.entries(fields.query)) if (value !== '') url.searchParams.append(name, value)
    const headers = Object.fromEntries(Object.entries(fields.header).filter(([, value]) => value !== ''))
    const tokens = (operation.security || []).flatMap((alternative) => Object.keys(alternative)).map((name) => byId(name).value.trim())
    const token = tokens.find((value) => value !== '')
    if (token) headers.authorization = 'Bearer ' + token
    const init = { method, headers, signal }
    if (fields.body) {
      headers['content-type'] = fields.type
      init.body = fields.type.endsWith('json') ? fields.body.value : new URLSearchParams(JSON.parse(fields.body.value)).toString()
    }
    const response = await fetch(url, init)
    const lines = [response.status + ' ' + response.statusText, ...[...response.headers].map(([name, value]) => name + ': ' + value)]
    const head = (out.textContent = lines.join('\n') + '\n\n')
    const type = response.headers.get('content-type') || ''
    if (!type.startsWith('application/json')) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) out.textContent = (out.textContent + part.value).slice(-MAX_SHOWN)
      return
    }
    const body = await response.json()
    out.textContent = head + pretty(body).slice(0, MAX_SHOWN)
    if (response.ok) keepTokens(path, body)
  }

  function fill(view, method, path, operation) {
    const fields = { path: {}, query: {}, header: {}, body: null, type: '' }
    if (operation.description) view.append(element('p', { textContent: operation.description }))
    const tokens = (operation.security || []).map((alternative) => Object.keys(alternative)[0] || 'none')
    view.append(element('p', { className: 'note', textContent: 'Token: ' + (tokens.join(' or ') || 'none') }))
    for (const parameter of operation.parameters || []) {
      const schema = resolve(parameter.schema)
      const input = element('input', { placeholder: String(schema.example ?? ''), title: parameter.name })
      input.addEventListener('input', () => (fields[parameter.in][parameter.name] = input.value))
      const name = element('span', { textContent: parameter.name + (parameter.required ? ' *' : '') + ' (' + parameter.in + ')' })
      const note = element('span', { className: 'note', textContent: parameter.description || schema.description || '' })
      view.append(element('label', { className: 'parameter' }, name, element('span', {}, input, ' ', note)))
    }
    const [type, media] = Object.entries((operation.requestBody || {}).content || {})[0] || []
    if (type) {
      fields.type = type
      fields.body = element('textarea', { rows: 10, spellcheck: false, value: pretty(exampleOf(media.schema)), title: 'body' })
      const note = type.endsWith('json') ? '' : ', entered as JSON and sent as a form'
      view.append(element('p', { textContent: 'Body (' + type + note + ')' }), fields.body, schemaView('Schema of the body', media.schema))
    }
    const out = element('pre', { hidden: true })
    let leaving = new AbortController()
    const stop = element('button', { textContent: 'Stop', hidden: true, onclick: () => leaving.abort() })
    const go = element('button', { textContent: 'Send', className: 'send' })
    go.addEventListener('click', async () => {
      leaving = new AbortController()
      go.disabled = true
      stop.hidden = out.hidden = false
      out.textContent = '...'
      await send(method, path, operation, fields, out, leaving.signal).catch((error) => (out.textContent += '\n' + error))
      go.disabled = false
      stop.hidden = true
    })
    view.append(element('p', {}, go, stop), out)
    for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
      const [answer] = Object.values(content)
      view.append(answer ? schemaView(status + ' ' + description, answer.schema) : element('p', { textContent: status + ' ' + description }))
    }
  }

  byId('title').textContent = api.info.title + ' ' + api.info.version
  byId('about').textContent = api.info.description
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, operation, name: method.toUpperCase(), tag: (operation.tags || ['other'])[0] })),
  )
  for (const tag of new Set(operations.map((one) => one.tag))) {
    const section = element('section', {}, element('h2', { textContent: tag }))
    for (const { path, name, operation } of operations.filter((one) => one.tag === tag)) {
      const parts = [['method ' + name, name], ['path', path], ['note', '  ' + (operation.summary || '')]]
      const summary = element('summary', {}, ...parts.map(([className, textContent]) => element('span', { className, textContent })))
      const view = element('details', { className: 'operation' }, summary)
      view.addEventListener('toggle', () => view.children.length === 1 && fill(view, name, path, operation))
      section.append(view)
    }
    byId('operations').append(section)
  }
  byId('filter').addEventListener('input', ({ target }) => {
    const wanted = target.value.trim().toLowerCase()
    for (const view of document.querySelectorAll('details.operation')) view.hidden = !view.firstChild.textContent.toLowerCase().includes(wanted)
  })
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(start)
  .catch((error) => (byId('about').textContent = 'The description cannot be read: ' + error))
`

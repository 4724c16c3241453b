/** The script of /docs. It runs in browsers, so it is a string here. It inserts API texts as text nodes, never as HTML. */
export const DOCS_SCRIPT = String.raw`
'use strict'
const MAX_SHOWN = 200000
const byId = (id) => document.getElementById(id)
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function start(api) {
  const resolve = (schema) =>
    schema && schema.$ref ? resolve(schema.$ref.replace('#/', '').split('/').reduce((at, step) => at[step], api)) : schema || {}
  const pretty = (value) => JSON.stringify(value, null, 2)

  function exampleOf(schema, depth = 0) {
    const found = resolve(schema)
    if (found.example !== undefined) return found.example
    if (found.const !== undefined) return found.const
    if (found.enum) return found.enum[0]
    const other = (found.anyOf || found.oneOf || [])[0]
    if (other) return exampleOf(other, depth)
    const type = [found.type].flat()[0]
    if (type === 'array') return depth > 4 ? [] : [exampleOf(found.items, depth + 1)]
    if (type === 'object') {
      const names = depth > 4 ? [] : found.required || []
      return Object.fromEntries(names.map((name) => [name, exampleOf((found.properties || {})[name], depth + 1)]))
    }
    return { string: '', integer: 0, number: 0, boolean: false }[type] ?? null
  }

  /** Returns a schema with its references resolved. */
  function written(schema, seen = []) {
    if (Array.isArray(schema)) return schema.map((part) => written(part, seen))
    if (typeof schema !== 'object' || schema === null) return schema
    if (schema.$ref) return seen.includes(schema.$ref) ? schema : written(resolve(schema), [...seen, schema.$ref])
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, written(part, seen)]))
  }

  function schemaView(title, schema) {
    const shown = element('pre', {})
    const view = element('details', {}, element('summary', { textContent: title }), shown)
    view.addEventListener('toggle', () => (shown.textContent ||= pretty(written(schema))))
    return view
  }

  function tokenOf(operation) {
    const names = (operation.security || []).flatMap((alternative) => Object.keys(alternative))
    return names.map((name) => byId(name).value.trim()).find((value) => value !== '') || null
  }

  function keepTokens(path, body) {
    if (!body) return
    if (path.endsWith('/auth/login') && body.access_token) byId('UserToken').value = body.access_token
    if (path.endsWith('/auth/register') && body.token) byId('UserToken').value = body.token.access_token
    if (path.endsWith('/auth/session') && body.token) byId('SessionToken').value = body.token.access_token
  }

  async function send(method, path, operation, fields, out, signal) {
    const url = new URL(path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fields.path[name] || '')), location.origin)
    for (const [name, value] of Object.entries(fields.query)) if (value !== '') url.searchParams.append(name, value)
    const headers = Object.fromEntries(Object.entries(fields.header).filter(([, value]) => value !== ''))
    const token = tokenOf(operation)
    if (token !== null) headers.authorization = 'Bearer ' + token
    const init = { method, headers, signal }
    if (fields.body) {
      headers['content-type'] = fields.type
      init.body = fields.type.endsWith('json') ? fields.body.value : new URLSearchParams(JSON.parse(fields.body.value)).toString()
    }
    const response = await fetch(url, init)
    const head = response.status + ' ' + response.statusText + '\n' + [...response.headers].map(([name, value]) => name + ': ' + value).join('\n') + '\n\n'
    out.textContent = head
    if ((response.headers.get('content-type') || '').startsWith('text/event-stream')) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) out.textContent = (out.textContent + part.value).slice(-MAX_SHOWN)
      return
    }
    const text = await response.text()
    let body = null
    try {
      body = JSON.parse(text)
    } catch {}
    out.textContent = head + (body === null ? text : pretty(body)).slice(0, MAX_SHOWN)
    if (response.ok) keepTokens(path, body)
  }

  function fill(view, method, path, operation) {
    const fields = { path: {}, query: {}, header: {}, body: null, type: '' }
    if (operation.description) view.append(element('p', { textContent: operation.description }))
    const tokens = (operation.security || []).map((alternative) => Object.keys(alternative)[0] || 'nobody')
    view.append(element('p', { className: 'note', textContent: tokens.length === 0 ? 'Open to all.' : 'Token: ' + tokens.join(' or ') }))
    for (const parameter of operation.parameters || []) {
      const schema = resolve(parameter.schema)
      const input = element('input', { placeholder: schema.example === undefined ? '' : String(schema.example), title: parameter.name })
      input.addEventListener('input', () => (fields[parameter.in][parameter.name] = input.value))
      const name = parameter.name + (parameter.required ? ' *' : '') + ' (' + parameter.in + ')'
      const note = element('span', { className: 'note', textContent: parameter.description || schema.description || '' })
      view.append(element('label', { className: 'parameter' }, element('span', { textContent: name }), element('span', {}, input, ' ', note)))
    }
    const [type, media] = Object.entries((operation.requestBody || {}).content || {})[0] || []
    if (type) {
      fields.type = type
      fields.body = element('textarea', { rows: 10, spellcheck: false, value: pretty(exampleOf(media.schema)), title: 'body' })
      const form = type.endsWith('json') ? '' : ', written as JSON here and sent as a form'
      view.append(element('p', { textContent: 'Body (' + type + form + ')' }), fields.body, schemaView('Schema of the body', media.schema))
    }
    const out = element('pre', { hidden: true })
    let leaving = null
    const stop = element('button', { textContent: 'Stop', hidden: true, onclick: () => leaving.abort() })
    const go = element('button', { textContent: 'Send', className: 'send' })
    go.addEventListener('click', async () => {
      leaving = new AbortController()
      go.disabled = true
      stop.hidden = out.hidden = false
      out.textContent = '...'
      try {
        await send(method, path, operation, fields, out, leaving.signal)
      } catch (error) {
        out.textContent += '\n' + (leaving.signal.aborted ? 'Stopped.' : error)
      }
      go.disabled = false
      stop.hidden = true
    })
    view.append(element('p', {}, go, stop), out)
    for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
      const [answerType, answer] = Object.entries(content)[0] || []
      const title = status + ' ' + description + (answerType ? ' (' + answerType + ')' : '')
      view.append(answer ? schemaView(title, answer.schema) : element('p', { textContent: title }))
    }
  }

  byId('title').textContent = api.info.title + ' ' + api.info.version
  byId('about').textContent = api.info.description
  const tags = new Map()
  for (const [path, item] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(item)) {
      const tag = (operation.tags || ['other'])[0]
      const name = method.toUpperCase()
      const view = element(
        'details',
        { className: 'operation' },
        element(
          'summary',
          {},
          element('span', { className: 'method ' + name, textContent: name }),
          element('span', { className: 'path', textContent: path }),
          element('span', { className: 'note', textContent: '  ' + (operation.summary || '') }),
        ),
      )
      view.dataset.words = (name + ' ' + path + ' ' + (operation.summary || '')).toLowerCase()
      view.addEventListener('toggle', () => view.children.length === 1 && fill(view, name, path, operation))
      tags.set(tag, [...(tags.get(tag) || []), view])
    }
  for (const [tag, views] of tags) byId('operations').append(element('section', {}, element('h2', { textContent: tag }), ...views))
  byId('filter').addEventListener('input', ({ target }) => {
    for (const views of tags.values()) {
      for (const view of views) view.hidden = !view.dataset.words.includes(target.value.trim().toLowerCase())
      views[0].parentElement.hidden = views.every((view) => view.hidden)
    }
  })
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(start)
  .catch((error) => (byId('about').textContent = 'The description cannot be read: ' + error))
`

/** Reads only the parts of compose files that ours use. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Replaces `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `${NAME:?message}`; throws without a required value. */
export function interpolate(text, env) {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?])([^}]*))?\}/g, (_, name, operator, rest) => {
    const value = env[name]
    const isSet = operator?.startsWith(':') ? value !== undefined && value !== '' : value !== undefined
    if (isSet) return value
    if (operator?.endsWith('-')) return rest
    if (operator?.endsWith('?')) throw new Error(`${name} is not set: ${rest}`)
    return ''
  })
}

function interpolateAll(value, env) {
  if (typeof value === 'string') return interpolate(value, env)
  if (Array.isArray(value)) return value.map((item) => interpolateAll(item, env))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolateAll(item, env)]))
}

export function readCompose(path, env) {
  return interpolateAll(parse(readFileSync(path, 'utf8'), { merge: true }), env)
}

export function startOrder(services) {
  const order = []
  const visiting = new Set()
  const visit = (name) => {
    if (order.includes(name)) return
    if (services[name] === undefined) throw new Error(`unknown service ${name} in depends_on`)
    if (visiting.has(name)) throw new Error(`service ${name} depends on itself`)
    visiting.add(name)
    for (const other of Object.keys(services[name].depends_on ?? {})) visit(other)
    order.push(name)
  }
  for (const name of Object.keys(services)) visit(name)
  return order
}

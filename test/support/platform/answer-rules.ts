import assert from 'node:assert/strict'
import { getAddress } from 'viem'
import type { ApiDescription, Operation } from './api-description.ts'
import type { Answer } from './ask.ts'

const LIMIT_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy']
const UNCOUNTED = [401, 415, 431, 500, 503]
const UNREADABLE_PATH = 'The address of the request cannot be read'

export function assertDescribed(api: ApiDescription, operation: Operation, answer: Answer): void {
  const { status, headers, body, text } = answer
  const shown = `${operation.name} answered ${status}: ${text.slice(0, 300)}`
  assert.ok(operation.statuses.includes(status), `this status is not described; ${shown}`)
  const type = operation.mediaType(status)
  assert.ok(headers['content-type']?.startsWith(String(type)), `${headers['content-type']} is not ${type}; ${shown}`)
  const judged = type === 'text/event-stream' ? eventData(text) : [body]
  for (const part of judged) assert.equal(api.faultOf(operation, status, part), null, shown)
  if (status === 200 && type === 'application/json' && !REPEATS.test(operation.path)) assertChecksums(text, shown)
  assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, shown)
  if (status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, shown)
  else if (headers['retry-after'] !== undefined) assert.ok(status === 503 && /^[1-9]\d*$/.test(headers['retry-after']), shown)
  if (!UNCOUNTED.includes(status) && body.detail !== UNREADABLE_PATH)
    for (const name of LIMIT_HEADERS) assert.ok(headers[name] !== undefined, `${name} is missing; ${shown}`)
  if (status === 422) for (const issue of body.detail) assertPydantic(issue, shown)
  if (status === 500) assert.deepEqual(body, { detail: 'Internal Server Error' })
}

function eventData(text: string): readonly unknown[] {
  const whole = text.split('\n\n').slice(0, -1)
  const lines = whole.flatMap((block) => block.split('\n').flatMap((line) => /^data: (.*)$/.exec(line)?.[1] ?? []))
  return lines.map((data) => (/^[[{]"?/.test(data) && data !== '[DONE]' ? JSON.parse(data) : data))
}

const REPEATS = /chatbot|research|^\/mcp|^\/openapi/

function assertChecksums(text: string, shown: string): void {
  for (const [address] of text.matchAll(/(?<![0-9A-Za-z])0x[0-9a-fA-F]{40}(?![0-9A-Za-z])/g))
    assert.equal(address, getAddress(address), `an address without its checksum; ${shown}`)
}

const TYPES = [
  ...['missing', 'extra_forbidden', 'json_invalid', 'value_error', 'literal_error', 'multiple_of', 'union_tag_invalid', 'none_required'],
  ...['string_type', 'string_too_short', 'string_too_long', 'string_pattern_mismatch', 'too_short', 'too_long', 'list_type', 'dict_type'],
  ...['int_type', 'int_parsing', 'int_from_float', 'float_type', 'float_parsing', 'bool_type', 'bool_parsing', 'model_attributes_type'],
  ...['greater_than', 'greater_than_equal', 'less_than', 'less_than_equal', 'datetime_parsing', 'url_parsing', 'uuid_parsing'],
]

function assertPydantic(
  issue: { type: string; loc: readonly unknown[]; msg: string; input?: unknown; ctx?: unknown },
  shown: string,
): void {
  assert.ok(TYPES.includes(issue.type), `${issue.type} is no type of pydantic; ${shown}`)
  assert.ok(['body', 'query', 'path', 'header'].includes(String(issue.loc[0])), shown)
  assert.ok('input' in issue && issue.msg !== '', shown)
  assert.ok(
    Object.keys(issue).every((key) => ['type', 'loc', 'msg', 'input', 'ctx'].includes(key)),
    shown,
  )
}

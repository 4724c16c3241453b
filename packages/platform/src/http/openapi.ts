import type { FastifySchema } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { httpError, httpValidationError } from '../schemas/errors.ts'
import type { AnyRoute } from './route.ts'
import { MAX_HEAD_BYTES } from './unreadable-request.ts'

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Invalid request parameters',
  401: 'Missing or invalid authentication token',
  403: 'Insufficient permissions',
  404: 'Resource not found',
  405: 'Method not allowed',
  409: 'Conflict with an earlier request',
  413: 'Request body too large',
  415: 'Content-Encoding other than identity',
  422: 'Validation error',
  429: 'Rate limit exceeded',
  431: `Address and headers over ${MAX_HEAD_BYTES} bytes`,
  500: 'Server error',
  503: 'Temporary outage',
}

const RATE_LIMIT = {
  'RateLimit-Limit': { description: 'Requests allowed per window', type: 'integer' },
  'RateLimit-Remaining': { description: 'Requests allowed now', type: 'integer' },
  'RateLimit-Reset': { description: 'Seconds until the whole limit is available again', type: 'integer' },
  'RateLimit-Policy': { description: 'Requests per window, and the window in seconds', type: 'string' },
}
const RETRY = { 'Retry-After': { description: 'Seconds to wait before a retry', type: 'integer' } }
const HEADERS_OF: Readonly<Record<string, object>> = {
  200: RATE_LIMIT,
  401: { 'WWW-Authenticate': { description: 'Authentication scheme', type: 'string' } },
  415: { 'Accept-Encoding': { description: 'Content codings that are accepted', type: 'string' } },
  429: { ...RETRY, ...RATE_LIMIT },
  503: RETRY,
}

const EVENT_STREAM = 'text/event-stream'

const DESCRIPTION = `Chat, research, quotes, risk assessment and trades on a rollup.

A request that cannot be assigned to an operation gets 400 (no valid HTTP), 403 (a host name that the operator has not listed), 408 (not received in time), 501 (a transfer coding other than chunked) or 505 (another version of HTTP), with \`detail\`. These answers, 415 and 431 come without rate limit headers. A body that is not UTF-8 is answered with 400. A slash at the end of a path is ignored.`

const SECURITY: Readonly<Record<string, readonly Readonly<Record<string, readonly string[]>>[]>> = {
  none: [],
  user: [{ UserToken: [] }],
  session: [{ SessionToken: [] }],
  either: [{ UserToken: [] }, { SessionToken: [] }],
  'session-or-none': [{}, { SessionToken: [] }],
}

export function openApiDocument(version: string) {
  const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }) as const
  return {
    openapi: '3.1.0',
    info: { title: 'Keelson agent platform', version, description: DESCRIPTION },
    components: {
      securitySchemes: {
        UserToken: bearer('From registration or login.'),
        SessionToken: bearer('From session creation: token.access_token.'),
      },
    },
  }
}

/** What a route refuses itself, and what the way to its handler refuses: head, token, limits, body, path, parts. */
export function statusesOf({ auth, body, query, params, headers, stores, refusals = [] }: AnyRoute): readonly number[] {
  const isGiven = (part: unknown) => part !== undefined
  const all = [
    ...refusals,
    ...(auth === 'none' ? [] : [401]),
    // no UTF-8; an escape in the path that cannot be decoded; the quota of a user
    ...(isGiven(body) || isGiven(params) || (isGiven(stores) && auth !== 'none' && stores?.byUser !== false) ? [400] : []),
    ...(isGiven(body) ? [413] : []),
    ...([body, query, params, headers].some(isGiven) ? [422] : []),
    ...[415, 429, 431, 500, 503],
  ]
  return [...new Set(all)].sort((a, b) => a - b)
}

export function describeRoute(route: AnyRoute): FastifySchema {
  const content = (schema: z.ZodType, description: string, type = 'application/json') => ({ description, content: { [type]: { schema } } })
  const response: Record<string, unknown> = { 200: content(route.answer, 'Successful response', route.answerType) }
  if (route.accepted !== undefined) response[202] = content(z.string(), route.accepted, 'text/plain')
  for (const status of statusesOf(route)) response[status] = content(bodyOfRefusal(route, status), REFUSALS[status] ?? 'Refused')
  return {
    tags: [route.tag],
    summary: route.summary,
    operationId: operationIdOf(route),
    security: SECURITY[route.auth],
    answerHeaders: route.answerHeaders,
    ...(route.hidden === true ? { hide: true } : {}),
    ...(route.form === true ? { consumes: ['application/x-www-form-urlencoded'] } : {}),
    ...(route.body === undefined ? {} : { body: route.body }),
    ...(route.query === undefined ? {} : { querystring: route.query }),
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.headers === undefined ? {} : { headers: route.headers }),
    response,
  } as FastifySchema
}

export const transformRoute: typeof jsonSchemaTransform = (given) => {
  const { schema, url } = jsonSchemaTransform(given)
  const {
    answerHeaders = {},
    response = {},
    ...rest
  } = schema as { answerHeaders?: Record<string, string>; response?: Record<string, object> }
  const own = Object.fromEntries(Object.entries(answerHeaders).map(([name, description]) => [name, { description, type: 'string' }]))
  const answers = Object.entries(response).map(([status, answer]) => {
    const headers = { ...(status === '200' ? own : {}), ...HEADERS_OF[status] }
    return [status, { ...withEvents(answer), ...(Object.keys(headers).length === 0 ? {} : { headers }) }]
  })
  return { schema: { ...rest, response: Object.fromEntries(answers) }, url }
}

type JsonSchema = Readonly<Record<string, unknown>>

/** As OpenAPI 3.2 describes event streams: the schema is that of one event, whose data is text. A route gives the schema of the data. */
function withEvents(answer: object): object {
  const { content, ...rest } = answer as { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }
  const schema = content?.[EVENT_STREAM]?.schema
  return schema === undefined ? answer : { ...rest, content: { [EVENT_STREAM]: { schema: eventSchema(schema) } } }
}

function eventSchema({ description, anyOf, ...one }: JsonSchema): JsonSchema {
  const alternatives = (anyOf as readonly JsonSchema[] | undefined) ?? [one]
  const dataOf = (schema: JsonSchema) =>
    schema.type === 'string' ? schema : { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  return {
    type: 'object',
    description,
    properties: { data: { type: 'string' }, event: { type: 'string' }, id: { type: 'string' }, retry: { type: 'integer' } },
    required: ['data'],
    anyOf: alternatives.map((schema) => ({ properties: { data: dataOf(schema) } })),
  }
}

/** An unreadable body is a 400 before the route has a say. */
function bodyOfRefusal({ refusalBodies }: AnyRoute, status: number): z.ZodType {
  const own: Partial<Readonly<Record<number, z.ZodType>>> = refusalBodies ?? {}
  const ofRoute = own[status]
  if (ofRoute !== undefined) return status === 400 ? z.union([ofRoute, httpError]) : ofRoute
  return status === 422 ? httpValidationError : httpError
}

function operationIdOf({ method, path }: AnyRoute): string {
  const words = path.replace(/^\/api\/v1(?=\/)/, '/v1').split(/[^A-Za-z0-9]+/)
  return [method.toLowerCase(), ...words.filter((word) => word !== '')].join('_')
}

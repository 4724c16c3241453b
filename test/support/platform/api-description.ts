import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
export type Json = Record<string, any>

export interface Operation {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly tag: string
  readonly statuses: readonly number[]
  readonly tokens: readonly string[]
  readonly open: boolean
  readonly body: { readonly type: 'application/json' | 'application/x-www-form-urlencoded'; readonly schema: Json } | null
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required?: boolean; readonly schema: Json }[]
  mediaType(status: number): string | undefined
}

export interface ApiDescription {
  readonly document: Json
  readonly operations: readonly Operation[]
  faultOf(operation: Operation, status: number, body: unknown): string | null
  wrongExamples(): readonly string[]
  resolve(schema: Json): Json
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete']

export function readDescription(document: Json): ApiDescription {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, formats: { 'evm-address': true } })
  ;(formats as unknown as { default: (to: Ajv2020) => void }).default(ajv)
  ajv.addSchema(document, 'api')
  const compiled = new Map<string, ValidateFunction>()
  const resolve = (schema: Json): Json => {
    if (typeof schema.$ref !== 'string') return schema
    const steps = schema.$ref.replace(/^#\//, '').split('/')
    return resolve(steps.reduce((at: Json, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')], document))
  }
  return {
    document,
    operations: Object.entries(document.paths as Json).flatMap(([path, item]) =>
      Object.entries(item as Json)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => readOperation(path, method, operation as Json)),
    ),
    resolve,
    wrongExamples: () =>
      schemasWithExample(document).flatMap(({ example, ...schema }) =>
        ajv.validate({ ...schema, components: document.components }, example) ? [] : [`${JSON.stringify(example)}: ${ajv.errorsText()}`],
      ),
    faultOf({ path, method, name, mediaType }, status, body) {
      const type = mediaType(status)
      if (type === undefined) throw new Error(`${name}: a response with status ${status} is not described`)
      const place = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
      const faultAt = (steps: readonly string[]) => {
        const ref = `api#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
        const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref })
        compiled.set(ref, validate)
        return validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' })
      }
      if (type !== 'text/event-stream') return faultAt(place)
      const { anyOf } = place.reduce((at: Json, step) => at[step], document)
      const faults = (anyOf as readonly Json[]).map(({ properties: { data } }, i) =>
        faultAt([...place, 'anyOf', String(i), 'properties', 'data', ...('contentSchema' in data ? ['contentSchema'] : [])]),
      )
      return faults.includes(null) ? null : faults.join('; ')
    },
  }
}

function schemasWithExample(value: unknown): readonly Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(schemasWithExample)
  return 'example' in value && ('type' in value || 'anyOf' in value) ? [value, ...inner] : inner
}

function readOperation(path: string, method: string, operation: Json): Operation {
  const required = (operation.security ?? []) as readonly Json[]
  const [type, media] = Object.entries((operation.requestBody?.content ?? {}) as Json)[0] ?? []
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Operation['method'],
    path,
    tag: operation.tags[0],
    statuses: Object.keys(operation.responses).map(Number),
    tokens: required.flatMap((alternative) => Object.keys(alternative)),
    open: required.length === 0 || required.some((alternative) => Object.keys(alternative).length === 0),
    body: type === undefined ? null : { type: type as 'application/json', schema: media.schema },
    parameters: operation.parameters ?? [],
    mediaType: (status) => Object.keys(operation.responses[status]?.content ?? {})[0],
  }
}

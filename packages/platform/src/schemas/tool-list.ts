import { z } from 'zod'

export const ToolEntry = z
  .object({
    name: z.string(),
    description: z.string(),
    input_schema: z.record(z.string(), z.any()).describe('JSON Schema of the arguments'),
  })
  .meta({ id: 'ToolEntry' })
export type ToolEntry = z.infer<typeof ToolEntry>

export const ToolList = z.object({ tools: z.array(ToolEntry) }).meta({ id: 'ToolList' })
export type ToolList = z.infer<typeof ToolList>

type JsonSchema = Readonly<Record<string, unknown>>

export function describeTool(name: string, description: string, input: z.ZodType): ToolEntry {
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = z.toJSONSchema(input, { io: 'input' }) as JsonSchema & { $defs?: Readonly<Record<string, JsonSchema>> }
  return { name, description, input_schema: inlined(schema, $defs) as JsonSchema }
}

function inlined(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => inlined(part, definitions))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as JsonSchema
  const meant = typeof $ref === 'string' ? definitions[$ref.replace('#/$defs/', '')] : undefined
  const entries = Object.entries({ ...meant, ...rest }).filter(
    ([key, part]) => (key !== 'id' || typeof part !== 'string') && !key.startsWith('x-'),
  )
  return Object.fromEntries(entries.map(([key, part]) => [key, inlined(part, definitions)]))
}

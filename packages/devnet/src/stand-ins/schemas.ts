import { z } from 'zod'

export const GraphRequest = z
  .object({
    query: z.string().max(20_000).meta({ example: '{ pools(first: 5) { id tvlUSD token0 { symbol } token1 { symbol } } }' }),
    variables: z.record(z.string().max(64), z.unknown()).nullish().describe('Values of the variables that the query declares'),
    operationName: z.string().max(256).nullish().describe('Name of the operation when the query has several'),
  })
  .meta({ id: 'GraphRequest' })

export const GraphResponse = z
  .object({
    data: z.record(z.string(), z.unknown()).nullish(),
    errors: z.array(z.object({ message: z.string(), path: z.array(z.union([z.string(), z.int()])).optional() })).optional(),
  })
  .meta({ id: 'GraphResponse' })
export type GraphResponse = z.infer<typeof GraphResponse>

export const ExecuteQueryParams = z.object({ query_id: z.int().min(0).max(Number.MAX_SAFE_INTEGER).describe('1, 2 or 3') })
export const ExecutionParams = z.object({
  execution_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('From the answer of execute'),
})

export const ExecuteQueryRequest = z
  .object({
    query_parameters: z
      .record(z.string().max(64), z.union([z.string().max(1_000), z.number(), z.boolean()]))
      .nullish()
      .describe('1: blocks; 2: limit; 3: blocks, limit'),
  })
  .meta({ id: 'ExecuteQueryRequest' })

const State = z.string().meta({ example: 'QUERY_STATE_COMPLETED' })
export const ExecutedQuery = z.object({ execution_id: z.string(), state: State }).meta({ id: 'ExecutedQuery' })

const Status = z.object({
  execution_id: z.string(),
  query_id: z.int(),
  state: State,
  is_execution_finished: z.boolean(),
  submitted_at: z.iso.datetime(),
  execution_started_at: z.iso.datetime().nullable(),
  execution_ended_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  error: z.object({ type: z.string(), message: z.string() }).optional(),
})
export const QueryStatus = Status.meta({ id: 'QueryStatus' })

export const QueryResultsPage = z.object({
  limit: z.int().min(1).max(1_000).default(1_000).describe('Rows'),
  offset: z.int().min(0).max(1_000_000).default(0).describe('Rows to pass over'),
})

export const QueryResults = Status.extend({
  result: z
    .object({
      rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
      metadata: z.object({ column_names: z.array(z.string()), row_count: z.int(), total_row_count: z.int() }),
    })
    .optional()
    .describe('As soon as the state is QUERY_STATE_COMPLETED'),
  next_offset: z.int().optional(),
}).meta({ id: 'QueryResults' })

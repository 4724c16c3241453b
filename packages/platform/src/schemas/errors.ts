import { z } from 'zod'

export const validationError = z
  .looseObject({
    type: z.string(),
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    input: z.any().optional(),
    ctx: z.record(z.string(), z.any()).optional(),
  })
  .meta({ id: 'ValidationError' })

export const httpValidationError = z.object({ detail: z.array(validationError) }).meta({ id: 'HTTPValidationError' })

export const httpError = z.looseObject({ detail: z.string() }).meta({ id: 'HTTPError' })

import { z } from 'zod'

export const thing = z.object({
  name: z.string().min(1).max(5),
  count: z.int().gte(0).lte(9),
  ratio: z.number().gt(0).optional(),
  really: z.boolean().optional(),
  kind: z.enum(['a', 'b', 'c']).optional(),
  mail: z.email().optional(),
  list: z
    .array(z.object({ text: z.string() }))
    .min(1)
    .max(2)
    .optional(),
  map: z.record(z.string(), z.number()).optional(),
  either: z.union([z.string(), z.object({ deep: z.int() })]).optional(),
})

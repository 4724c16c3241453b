import { z } from 'zod'

export const SearchRefresh = z
  .object({ status: z.literal('refreshed'), documents: z.int().min(0).describe('Documents in the index') })
  .meta({ id: 'SearchRefresh' })
export type SearchRefresh = z.infer<typeof SearchRefresh>

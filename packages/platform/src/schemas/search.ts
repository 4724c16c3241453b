/** What refreshing the search tool answers. */
import { z } from 'zod'

export const SearchRefresh = z
  .object({ status: z.literal('refreshed'), documents: z.int().min(0).describe('That can be found now') })
  .meta({ id: 'SearchRefresh' })
export type SearchRefresh = z.infer<typeof SearchRefresh>

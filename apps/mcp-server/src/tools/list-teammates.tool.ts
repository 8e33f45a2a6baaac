import { LIMITS } from '@agentrelay/protocol';
import { z } from 'zod';
import { notice, ToolText } from '../provenance';
import { text } from './schemas';
import { defineTool, READS } from './tool';

export const listTeammates = defineTool({
  name: 'list_teammates',
  title: 'List teammates',
  description:
    'Lists the teammates that can be handed work, with role, skills and the repositories they own. ' +
    'Use it to find the right handle before handoff_to_teammate, or who owns a path.',
  input: z.strictObject({
    role: text(LIMITS.role).optional().describe('Only this role, such as frontend.'),
    skill: text(LIMITS.skill).optional().describe('Only those with this skill, such as react.'),
    repo: text(LIMITS.repo).optional().describe('Only owners of this path, such as apps/web/src.'),
  }),
  output: z.object({
    notice,
    teammates: z.array(
      z.object({
        handle: z.string(),
        untrusted_name: z.string(),
        untrusted_role: z.string(),
        untrusted_description: z.string(),
        untrusted_skills: z.array(z.string()),
        untrusted_repos_owned: z.array(z.string()),
      }),
    ),
  }),
  annotations: READS,
  async run({ role, skill, repo }, { client }) {
    const { teammates } = await client.read('agents/list', {
      ...(role !== undefined && { role }),
      ...(skill !== undefined && { skill }),
      ...(repo !== undefined && { repo }),
    });
    const out = new ToolText().say(`${teammates.length} teammate${teammates.length === 1 ? '' : 's'}.`);
    if (teammates.length > 0) {
      out.untrusted(
        'the teammates themselves',
        teammates.map(({ handle, name, role: theirRole, description, skills, repos_owned }) => ({
          label: handle,
          content: [
            name,
            theirRole && `role: ${theirRole}`,
            description && `about: ${description}`,
            skills.length > 0 && `skills: ${skills.join(', ')}`,
            repos_owned.length > 0 && `owns: ${repos_owned.join(', ')}`,
          ]
            .filter(Boolean)
            .join('\n'),
        })),
      );
    }
    return {
      structured: {
        teammates: teammates.map((teammate) => ({
          handle: teammate.handle,
          untrusted_name: teammate.name,
          untrusted_role: teammate.role,
          untrusted_description: teammate.description,
          untrusted_skills: teammate.skills,
          untrusted_repos_owned: teammate.repos_owned,
        })),
      },
      text: out,
    };
  },
});

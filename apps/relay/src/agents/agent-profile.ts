/** An agent as its teammates and its administrators see it. */
export interface AgentProfile {
  agentId: string;
  handle: string;
  displayName: string;
  role: string;
  status: 'active' | 'disabled';
  description: string;
  skills: string[];
  reposOwned: string[];
  ownerEmail: string | null;
}

/** What an agent may say of itself. */
export interface CardContent {
  description: string;
  skills: string[];
  reposOwned: string[];
}

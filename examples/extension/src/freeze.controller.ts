import { AdministratorOnly, DtoPipe, IsText, IsInt } from '@agentrelay/extension';
import { Body, Controller, Get, HttpCode, Put } from '@nestjs/common';
import { FreezeStore } from './freeze.store';

class AnnounceDto {
  @IsText({ min: 1, max: 200 })
  reason!: string;

  @IsInt(1, 10_080)
  minutes!: number;
}

/** REST routes: the first asks for an API key, as every route does that says nothing else. */
@Controller('freeze')
export class FreezeController {
  constructor(private readonly freezes: FreezeStore) {}

  @Get('tally')
  tally(): Promise<Record<string, number>> {
    return this.freezes.tally();
  }

  @Put()
  @HttpCode(204)
  @AdministratorOnly()
  async announce(@Body(new DtoPipe(AnnounceDto)) freeze: AnnounceDto): Promise<void> {
    await this.freezes.announce(freeze);
  }
}
